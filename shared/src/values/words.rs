//! Words that are no names when they are capitalised: at the start of a sentence, in labels, as titles.

use super::hashes::Hashes;
use std::sync::LazyLock;

/// Whether a word, in any case, is an ordinary one in the languages that customers write most.
pub(super) fn is_common(word: &str) -> bool {
    COMMON.contains(word)
}

static COMMON: LazyLock<Hashes> = LazyLock::new(|| {
    let mut common = Hashes::default();
    WORDS.split_ascii_whitespace().for_each(|word| common.add(word));
    common.seal();
    common
});

const WORDS: &str = "
    ihnen ihre ihrem ihren ihrer ihres euch euer eure geduld madame mademoiselle mesdames messieurs monsieur señores
    señorita usted ustedes vosotros
    flat herr iban max meet mini plus pro prof rs sra sr señor señora ultra
    airline airlines arrival bags baggages based birth cards certificate certificates charged departure difference
    direct dob gold human ids modify numbers option options outbound pending setup talk
    abroad afraid allergic alone angry anxious aware away busy certain curious disabled hungry ill mad nervous pregnant
    sick unable unhappy unsure vegan vegetarian postcode
    a aber about above according account actually add added additional additionally address after again
    agent agreed air aisle al alas all almost already alright als also alternatively although always am
    amazing an and android another any anybody anyone anything anytime anyway apart api apologies apology
    app apple appointment apr april arabic are arrived arrives as asap ask asked assistant at até au auf aug
    august aus aux available avec awesome back bad bag baggage balance basic be because been before begin
    behind bei below best better between beyond bien big bill billing bitte black blue bluetooth boa bom
    bonjour bonsoir book booked booking boss bot both boyfriend breakfast bring bro brother browse btw
    budget buenas buenos business but buy by bye c'est cabin call calling can cancel cancellation cancelled
    cannot card carry case cash cat ce cela certainly ces change changes channel chat check check-in
    check-out checked checkin checking checkout chinese choose city class clear clearly click close code
    cold colleague com come comment como company complete completely con concern confirm confirmed
    confirming congratulations connecting consider contact context continue cool correct correctly cost
    could country create credit cuando current currently customer customers cuál da dad damage danke dans
    das dass date daughter day days de deal dear debit dec december delivery dem den depending deposit der
    des desk details did die dinner discount diy do doctor does dog done door dos double doubtful down dr du
    due during dutch dónde e each earlier early easy economy edt ein eine either el ela ele ella elle else
    em email en end english enjoy enough ensure enter er error es especially essa esse est esta este estoy
    et eta etc eu eur even eventually ever every everyone everything exactly excel excellent except excuse
    exit expected facebook fact facts family fantastic faq fast father feb february fee feel female few fill
    final finally find fine first firstly flight flights follow following for found frau free french fri
    friday friend from front full further furthermore fyi für gate gbp general german get getting gift
    girlfriend give given glad gmail go going gone good goodbye google got gotcha gps gracias great
    greetings guest guests guten guys haben had half hallo happy has hate have having he hello help her here
    herr hers hey hi him hindi his history hm hmm hola holiday home hope hotel hour hours house how however
    html husband i ich icloud id if ihr il ils immediately in included including indeed info information
    initially input inside instagram insurance intent interesting invoice ios ipad iphone is isso issue ist
    it italian item items its j'ai ja jan january japanese je jul july jun june just kann keep key keys
    kindly king know korean können la lady las last lastly late later le least leave left les less let like
    likely line linkedin list listen live lo location lock log login lol long look looking looks los lost
    lot love luckily luggage lunch ma ma'am mac madam mail main mais make male manage manager many mar march
    mas mastercard may maybe mañana me mean meant meanwhile mein meine member merci message messenger
    methinks method meu mi mine minha minute miss mit mobile mode mom moment mon monday money month more
    moreover morning most mother mr mrs ms much muchas muito must muy my nah name names natural necesito
    need neighbor neighbour nein neither never nevertheless new next nice nicht night nights no nobody non
    none nope nor normally nos not note nothing notice nous nov november now number nurse não nós o obrigada
    obrigado oct october oder of off offer office often oh ok okay old olá omg on once onde one ones only
    open operator optional or order orders origin os other others otherwise ou oui our ours out outside over
    overall own paid par para parcel parking part partner parts party pas pass passenger passengers password
    pay payment payments paypal pdf per perdón perfect perhaps pero person pets phone pick pickup pin place
    plan please pleasure plus pnr pode podría policy polish pool por porque portuguese possible possibly
    posso post pour pourquoi pouvez prefer previous price print probably problem process product profile
    promise provide pst public pull purchase put qr quand quando que queen quel quelle quero question
    questions quick quiero quite qué rather read ready real really reason receipt receive received recently
    red refund refunds regarding regards remaining remember reminder remove rent repeat reply report request
    required reservation resolved return returned returning right room rooms round rsvp russian sa sad safe
    said salut same saturday save say schedule scroll se search seat seats second secondly see seems sehr
    select sem send sent sept september service ses set settings several shall she ship shipped shipping
    should show si sie sign sim simply since sincerely sind single sir sister sit size slack small sms so
    solid some somebody someone something sometimes son soon sorry sou sounds spanish speak specifically sso
    staff standard start state station status stay step still stop store street stuck su subject submit
    subscribe subscription such suddenly suite summary sunday super support sur sure svp sí take también
    também tax taxi team technically telegram tell tem tengo tenho terrible than thank thankfully thanks
    that that'd that'll the their theirs them then there therefore these they thing things think third this
    those though three through throughout thu thursday thus ticket till time times tired to today together
    tomorrow tonight too total towards track tracking travel traveller trip true try tudo tue tuesday
    turkish tv twitter two type typically uber uh um uma un una und under understand understood une
    unfortunately unit until up update updated upgrade upon upset urgent url us usa usb usd use user
    username using usted usually utc valid vat venmo verified verify very via vielen view vip visa visit
    você voice voici von vous wait waiting wann want wanted wants warm warum was water way we web webchat
    wed wednesday week weekday weekend weeks welcome well wenn went were wet what whatever whatsapp when
    whenever where whether which while white who whole whose why wie wife wifi will window windows wir wish
    with within without wo wonderful word work working worried would wow write wrong y yeah year years yep
    yes yesterday yet yo you young your yours youtube yup zip zoom zu zum zur а благодарю был в вам вас ваш
    вы где да день для до добрый если есть ещё здравствуйте и из как когда который ли меня мне мой мы на нам
    нас наш не нет но о он она они от по пожалуйста почему привет с сегодня спасибо так там то у уже что это
    я
";
