//! German.

use super::{Hours, Lexicon};

pub(in crate::rules) const GERMAN: Lexicon = Lexicon {
    marks: "der die das den dem des ein eine einen einem einer ist sind seid war und ich sie wir es mein meine meinen \
        meiner meinem meines mir mich ihr ihre ihren ihrer wo wann wie was wer warum welche welcher kann konnen koennen \
        haben habe hat wird werden wurde nicht kein keine noch schon zu zum zur von mit fur fuer auf im am an in um bis \
        bei bitte dank tag morgen abend status stand kommt uhr wieviel heute montag dienstag mittwoch donnerstag freitag \
        samstag sonntag samstags sonntags vielen gibt aber auch sehr mochte moechte sprechen deutsch",
    phrases: "gruss_gott wie_viel_uhr wieviel_uhr guten_morgen guten_tag guten_abend gute_nacht so_schnell_wie_moglich so_schnell_wie_moeglich haben_sie \
        bieten_sie liefern_sie machen_sie fuhren_sie verkaufen_sie versenden_sie vielen_dank grusse_aus \
        auf_wiedersehen in_ordnung hatte_gern haette_gern hatten_gern",
    elided: "",
    subjects: [
        "bestellung bestellungen bestellstatus bestellnummer auftrag auftrage auftraege paket pakete packchen paeckchen \
         lieferung lieferungen lieferstatus lieferdatum liefertermin sendung sendungen sendungsstatus sendungsnummer \
         sendungsverfolgung ware einkauf",
        "anfrage anfragen anliegen ticket tickets reparatur reparaturen meldung storungsmeldung stoerungsmeldung \
         schadensmeldung reparaturauftrag wartung",
        "termin termine reparaturtermin wartungstermin besuch besichtigung besichtigungen besichtigungstermin techniker technikerin handwerker \
         installateur klempner monteur",
    ],
    verbs: "",
    before_verbs: "",
    before_others: "",
    introduces: "bestellung bestellnummer auftrag auftragsnummer paket sendung anfrage ticket termin nummer nr no id",
    greetings: "hallo hi hey moin servus guten_morgen guten_tag guten_abend gruss_gott",
    thanks: "danke dank vielen_dank dankeschon dankeschoen",
    agrees: "ok okay gut super prima perfekt alles klar verstanden tschuss tschuess auf_wiedersehen in_ordnung passt \
        einverstanden toll",
    fillers: "sehr schon schoen so viel vielmals fur fuer die ihre hilfe das liebes team und allen zusammen bitte mit \
        freundlichen grussen gruessen beste grusse gruesse liebe ihnen dir auch ja tag morgen abend guten geehrte \
        damen herren im voraus",
    asks: "wo wann wie_viel_uhr wieviel_uhr was welche welcher welches welchen wie wieviel ist sind war hat haben habe kann kannst konnen koennen \
        konnten koennten wird werden gibt kommt kommen bleibt wurde haben_sie steht woran",
    seeks: "wo wann wie_viel_uhr wieviel_uhr status stand bleibt sendungsverfolgung sendungsstatus bestellstatus lieferstatus verfolgen \
        nachverfolgen neuigkeiten neues update ankommt ankommen kommt passiert los",
    mine: "mein meine meinen meinem meiner meines ich mir mich wir uns unser unsere unseren unserem unserer",
    yours: "ihr ihre ihren ihrem ihrer du dein deine euer eure man haben_sie bieten_sie liefern_sie machen_sie \
        fuhren_sie verkaufen_sie versenden_sie",
    articles: "der die das den dem des",
    own: "mein meine meinen meinem meiner meines ich mir mich wir uns unser unsere der die das den dem des es dies diese \
        dieser dieses ein eine einen",
    it: "es sie das",
    travels: "ankommt ankommen angekommen kommt kommen an versandt verschickt versendet geliefert da unterwegs",
    on_its_way: "wann ist ob schon noch wird wurde",
    missing: "nicht nie nichts kein keine keinen",
    arrived: "angekommen da erhalten bekommen gekommen eingetroffen zugestellt geliefert ankam",
    when: "wann ankommt ankommen lange kommt liefertermin lieferdatum",
    what: "was welche",
    contents: "enthalt enthaelt enthalten drin artikel inhalt",
    about: "wegen zu zum zur fur fuer bezuglich bezueglich betreffend betreffs uber ueber",
    actions: "stornier* kundig* kuendig* ander* aender* geandert umtausch* tausch* zuruckgeb* zurueckgeb* zuruckschick* \
        zurueckschick* retour* rucksend* ruecksend* reklam* erstatt* ersatz verschieben verschoben verleg* umbuch* \
        hinzufug* hinzufueg* entfern* kaufen bezahl* zahlen berechnet buchen buchung vereinbaren warum wieso weshalb \
        falsch* beschadigt* beschaedigt* kaputt* defekt* beschwer* stattdessen ander* nochmal schicken senden zusenden \
        geben umleiten loschen loeschen preis preise kostet kosten gratis kostenlos gebuhr* gebuehr* verfugbar* \
        verfuegbar* empfehl* rabatt gutschein rechnung rechnungen quittung beleg garantie verloren aufgeben absagen \
        gesamtbetrag betrag summe zahlung adresse anschrift lieferadresse telefon telefonnummer email e-mail mail bieten \
        bieten_sie aktualisieren machen machen_sie verspat* verspaet* parken abholen anrufen zuruckrufen zurueckrufen benachricht* bewertung",
    wishes: "mochte moechte mochten moechten will wollen wollte wollten brauche brauchen wunsche wuensche hatte_gern \
        haette_gern hatten_gern",
    finds_out: "wissen erfahren nachfragen fragen sehen prufen pruefen verfolgen nachverfolgen status stand wo wann",
    polite_asks: "kann kannst konnen koennen konnten koennten konntest wurden wuerden",
    looks_up: "sagen prufen pruefen nachsehen nachschauen schauen bestatigen bestaetigen mitteilen angekommen verschickt \
        versandt geliefert artikel",
    how: "wie wieviel",
    how_goes: "ist sind war lange steht stehts bald weit kann geht lautet sieht",
    how_to: "kann konnen koennen muss",
    updates: "",
    updates_what: "",
    hours: Hours {
        names: "offnungszeiten oeffnungszeiten offnungszeit oeffnungszeit geschaftszeiten geschaeftszeiten burozeiten \
            buerozeiten sprechzeiten",
        open: "offen geoffnet geoeffnet auf offnet oeffnet offnen oeffnen geschlossen schliesst schliessen zu",
        fillers: "was welche wie wann wie_viel_uhr wieviel_uhr sind seid ist haben hat habt haben_sie sie ihr ihre euer eure die der das den dem am an im \
            in von bis um ab lange spat spaet fruh frueh uhr uhrzeit jetzt gerade noch schon aktuell derzeit bitte mir \
            sagen kann konnen koennen konnten koennten ich wissen mochte moechte wollte laden geschaft geschaeft buro \
            buero rezeption empfang shop filiale es und oder auch macht machen diese dieses dieser woche tag tage machen_sie denn eigentlich \
            vormittag nachmittag abend vormittags nachmittags abends",
        days_ahead: ["heute jetzt", "morgen", "ubermorgen uebermorgen"],
        weekdays: [
            "montag montags",
            "dienstag dienstags",
            "mittwoch mittwochs",
            "donnerstag donnerstags",
            "freitag freitags",
            "samstag samstags sonnabend sonnabends",
            "sonntag sonntags",
        ],
        short_weekdays: ["mo", "di", "mi", "do", "fr", "sa", "so"],
        weekend: "wochenende wochenenden",
        working_days: "werktags werktage wochentags",
        every_day: "taglich taeglich",
        to: "bis",
        closed: "geschlossen ruhetag",
    },
};
