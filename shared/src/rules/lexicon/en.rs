//! English.

use super::{Hours, Lexicon};

pub(in crate::rules) const ENGLISH: Lexicon = Lexicon {
    marks: "the a an is are am my your you i im it and to of for on in at have has can when where what how why who which \
        do does did was were will would could not no with this that there please any been we me our us he she they from \
        be or if so but some one now need want help get got still yes status today tomorrow yesterday english shipped arrive \
        arrived arriving sunday monday tuesday wednesday thursday friday saturday",
    phrases: "day_after_tomorrow good_morning good_afternoon good_evening good_day",
    elided: "",
    subjects: [
        "order orders package packages parcel parcels delivery shipment shipments purchase tracking",
        "request requests ticket tickets repair repairs maintenance",
        "appointment appointments visit visits viewing viewings meeting technician plumber engineer",
    ],
    verbs: "order request visit repair",
    before_verbs: "i we you they to can could please and or cannot can't",
    before_others: "work",
    introduces: "order request ticket appointment number no nr id package parcel",
    greetings: "hi hello hey morning afternoon evening good_morning good_afternoon good_evening good_day",
    thanks: "thanks thank thx ty cheers appreciated",
    agrees: "ok okay great perfect alright bye goodbye understood",
    fillers: "good day there dear team you so very much a lot please got it best kind regards all that's fine nice \
        cool sure for your help the and again everything",
    asks: "where when what what's whats when's where's which how is are was were did do does has have can could will \
        would any wheres",
    seeks: "where where's wheres when when's status track tracking eta update updates news progress arriving arrives \
        happening",
    mine: "my our mine me i i've i'm",
    yours: "your you",
    articles: "the",
    own: "my our mine i i'm i've i'd the this that it its we",
    it: "it they",
    travels: "arrive arrives arriving arrived ship shipped deliver delivered come coming here",
    on_its_way: "when has hasn't hasnt have haven't did didn't didnt will is still",
    missing: "not never hasn't haven't didn't isn't hasnt havent didnt nothing",
    arrived: "arrived arrive come received receive got delivered here",
    when: "when eta arrive arriving arrives long soon",
    what: "what what's whats items contents",
    contents: "in inside items contents",
    about: "about regarding concerning for",
    actions: "cancel cancelling change changing modify edit return returning exchange replace replacement swap \
        reschedule move postpone add remove buy pay charge charged charges book make arrange refund refunded why wrong \
        damaged broken defective complain complaint instead different another upgrade send resend reship give redirect \
        forward stop delete policy policies offer sell price cost costs much free fee fees stock available \
        availability recommend discount coupon invoice receipt warranty lost place placing schedule scheduling booking \
        upgrading updating total amount paid payment address phone email park parking pick collect directions notify review",
    wishes: "want need like wish",
    finds_out: "know check track tracking see find hear ask status update updates look follow",
    polite_asks: "can could would",
    looks_up: "check confirm look arrived shipped delivered items contents",
    how: "how",
    how_goes: "long soon is are about can do to",
    how_to: "can do to",
    updates: "update",
    updates_what: "my our all the it its this that",
    hours: Hours {
        names: "hours",
        open: "open opened opens opening close closed closes closing",
        fillers: "what what's whats are is when when's do does you your the at on in for of to till until from time \
            times how late early long now still right currently please tell me can could would i like know business \
            office working store shop reception desk counter showroom branch every be will we us there this during \
            also and or about morning afternoon evening tonight",
        days_ahead: ["today tonight now", "tomorrow", "day_after_tomorrow"],
        weekdays: [
            "monday mondays",
            "tuesday tuesdays",
            "wednesday wednesdays",
            "thursday thursdays",
            "friday fridays",
            "saturday saturdays",
            "sunday sundays",
        ],
        short_weekdays: ["mon", "tue tues", "wed", "thu thur thurs", "fri", "sat", "sun"],
        weekend: "weekend weekends",
        working_days: "weekdays workdays",
        every_day: "daily everyday",
        to: "to till until through thru",
        closed: "closed none",
    },
};
