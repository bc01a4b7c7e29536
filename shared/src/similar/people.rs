//! What many people are called: such a word is a name however many texts have it, and in whatever case they write it.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether a word, in lower case, is a frequent first or last name.
pub(super) fn is_name(word: &str) -> bool {
    NAMES.contains(word)
}

/// Whether a word, in lower case, is a frequent first name.
pub(super) fn is_first_name(word: &str) -> bool {
    FIRST.contains(word)
}

static FIRST: LazyLock<HashSet<&str>> = LazyLock::new(|| FIRST_NAMES.split_ascii_whitespace().collect());
static NAMES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    FIRST_NAMES.split_ascii_whitespace().chain(LAST_NAMES.split_ascii_whitespace()).collect()
});

const FIRST_NAMES: &str = "
    aaron adam adrian agnes ahmed alan alba alberto alejandro alex alexander alexandra alfred ali alice alina amanda
    amelia amy ana anastasia andrea andreas andrew andré andrés angela angelika anita anja anke ann anna anne
    annette annika anthony anton antonia antonio arthur astrid aylin barbara beatriz ben benjamin bernd bernhard
    bettina birgit bjorn björn bob brandon brian brigitte britta bruno camille carina carl carla carlos carmen carol
    carolin caroline catarina catherine charlotte chloe chris christa christian christiane christina christine
    christoph christopher clara claudia claus craig cristina cynthia dagmar dan daniel daniela dave david deborah
    denis denise dennis diana diego dieter dietmar dirk dominik donald doris dorothea edith eduardo edward elena
    eleni elias elisa elisabeth elizabeth elke ella ellen emanuel emil emilia emily emma eric erich erik erika ernst
    esther eugen eva evelyn fabian fatima fatma felix fernanda fernando filipe finn florian francisco frank franz
    franziska françois frederik frida friedrich fritz gabriel gabriela gabriele gary georg george gerald gerd gerda
    gerhard gertrud gisela giulia gonzalo grant gregor greta guido guillaume gustav günter günther hanna hannah
    hannes hans harald hartmut hassan hedwig heidi heike heiko heiner heinrich heinz helen helena helga helmut
    henrik henry herbert hermann hilde holger horst hubert hugo ian ibrahim igor ilona ilse ines inga inge ingo
    ingrid inês irene irina iris isabel isabella isabelle ivan jack jacob jacqueline jakob james jana jane janina
    janine jason javier jean jeff jeffrey jennifer jens jessica jim joachim joana joanna joao jochen joe johann
    johanna johannes john jonas jonathan jorge josef joseph joshua josé joão juan juergen jules julia julian juliana
    julie justin jörg jürgen karen karin karl karla karolin kate katharina kathrin katja katrin keith kerstin kevin
    klaus konrad konstantin kristin kurt kyle lara larissa lars laura laurent lea lena leo leon leonie liam lina
    linda lisa lothar louis louise luca lucas lucia lucy ludwig luis luisa lukas luke lutz léa magdalena maike maja
    malte mandy manfred manuel manuela marc marcel marcela marco marcus margaret margarete maria mariana marie
    marina mario marion mark marko markus marlene marta martha martin martina mary matheus mathias matteo matthew
    matthias maximilian maya mehmet melanie melissa mia michael michaela michelle miguel mike mila milan mirko
    mohamed mohammed molly monica monika moritz murat mustafa nadia nadine nadja nancy natalia natalie nathalie neil
    nicholas nick nico nicola nicole niklas nils nina noah nora norbert olaf olga oliver olivia olivier oscar oskar
    oswald otto pablo paola pascal pat patricia patrick paul paula paulo pedro peter petra philip philipp philippe
    pia pierre rachel rafael rainer ralf ralph ramona raphael raquel raul ray rebecca regina reinhard reinhold
    renate ricardo richard rita rob robert roberto roger roland rolf romain ronald rosemarie rudolf rui ruth ryan
    sabine sabrina sam samantha samuel sandra sara sarah sascha scott sean sebastian sergio serkan siegfried sigrid
    silke silvia simon simone sofia sonja sophia sophie stefan stefanie steffen stella stephan stephanie stephen
    steve steven sue susan susana susanne sven svenja sylvia tamara tanja tatjana teresa theo theresa theresia
    thomas thorsten tiago tim timo tina tobias tom tony torsten tyler udo ulrich ulrike ursula ute uwe valentina
    valerie vanessa vera veronika victor victoria viktor viktoria vincent volker walter waltraud werner wilhelm
    willi william winfried wolfgang yannick yusuf yvonne zoe zoë
";

/// Last names that are hardly anything else. `Koch`, `Keller` and `Winter` are words as well: the texts tell.
const LAST_NAMES: &str = "
    albrecht almeida alves anderson arnold baumann beck becker bergmann bernard brandt böhm clark davis dietrich
    dubois dupont durand fernandes ferreira fischer fournier franke friedrich garcia garcía garnier gomes
    gonzalez gonzález göbel günther haas hahn harris hartmann heinrich hernandez hernández herrmann
    hoffmann hofmann huber hübner jackson jansen janssen johnson jones kowalski kraus krause krämer kröger krüger
    kuhn kühn lambert laurent lee lefebvre lehmann leroy lewis lopes lopez lorenz ludwig lópez maier martin martinez
    martins martínez mayer meier meyer miller moore moreau mueller möller müller neumann nowak oliveira otto pereira
    perez peters petersen pfeiffer pohl pérez ramirez ramírez ribeiro robert roberts robinson rodrigues rodriguez
    rodríguez roth sanchez santos sauer schaefer scherer schmid schmidt schmitt schmitz schneider scholz schröder
    schubert schulte schultz schulz schulze schumacher schäfer seidel seifert silva simon smith sousa souza sánchez
    taylor thomas thompson vogt voigt wagner walker walter weber werner williams wilson winkler wolff wright yilmaz
    yıldız ziegler öztürk
";
