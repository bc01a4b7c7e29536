//! How people are asked for what they are asked for, language by language.

use super::{Asking, Things};

pub(super) const LANGUAGES: [Asking; 4] = [ENGLISH, SPANISH, GERMAN, FRENCH];

const fn things(sure: &'static str, bare: &'static str) -> Things {
    Things { sure, bare }
}

const ENGLISH: Asking = Asking {
    loose: "please kindly also me us with your the a an full complete current correct best own registered just still \
        first quickly again for and or both ahead",
    yours: "your",
    articles: "the a an",
    not: "not never",
    not_before: "",
    other: "new another other different alternative instead else updated second additional changed",
    patterns: &[
        "can|could|would|will you ~ share|provide|give|send|tell|state|enter|supply|remind|confirm|verify|specify|write|\
         repeat ~ @",
        "please ~ share|provide|give|send|tell|state|enter|supply|remind|confirm|verify|specify|write|repeat ~ @",
        "^ share|provide|give|send|tell|state|enter|supply|confirm|verify|specify ~ @",
        "may|can|could|might i|we ~ have|get|ask|know|take|note ~ @",
        "i|we|ll|d ~ need|require ~ @",
        "let me|us ~ know|have ~ @",
        "mind ~ sharing|giving|telling|providing|confirming|sending ~ @",
        "what|which ~ is|s ~ @",
    ],
    name_patterns: &["who am i speaking|talking|chatting to|with"],
    things: [
        things("full_name", "name first_name last_name surname"),
        things("email_address mail_address", "email mail"),
        things(
            "phone_number telephone_number mobile_number contact_number cell_number",
            "phone telephone mobile",
        ),
        things(
            "delivery_address shipping_address postal_address home_address billing_address",
            "address street_address",
        ),
        things("order_number order_id order_no number_of_your_order", ""),
    ],
};

const SPANISH: Asking = Asking {
    loose: "por favor me nos su sus tu tus el la los las un una completo completa actual correcto correcta y o tambien \
        primero solo con de",
    yours: "su sus tu tus",
    articles: "el la un una",
    not: "no nunca",
    not_before: "",
    other: "nuevo nueva nuevos nuevas otro otra distinto distinta diferente alternativo alternativa",
    patterns: &[
        "puede|podria|puedes|podrias|podrian|pueden ~ facilitar*|proporcionar*|dar*|decir*|indicar*|enviar*|compartir*|\
         confirmar*|mandar*|escribir* ~ @",
        "facilite*|proporcioneme|proporcionenos|indique*|digame|diganos|deme|denos|envieme|envienos|confirmeme|confirmenos \
         ~ @",
        "favor ~ facilite|proporcione|indique|envie|comparta|confirme|escriba ~ @",
        "necesito|necesitamos|necesitaria|necesitariamos|requiero|requerimos ~ @",
        "me|nos da|dice|indica|facilita|proporciona|confirma|dices|das|indicas ~ @ ?",
        "cual|cuales ~ es|son|seria ~ @",
    ],
    name_patterns: &["como se llama|llaman ?", "como te llamas", "con quien hablo|tengo"],
    things: [
        things("nombre_completo nombre_y_apellidos", "nombre apellido apellidos"),
        things(
            "correo_electronico direccion_de_correo_electronico direccion_de_correo direccion_de_email direccion_email",
            "email correo",
        ),
        things(
            "numero_de_telefono numero_de_movil numero_de_celular numero_de_contacto",
            "telefono movil celular",
        ),
        things("direccion_de_entrega direccion_de_envio direccion_postal", "direccion domicilio"),
        things("numero_de_pedido numero_del_pedido numero_de_su_pedido codigo_de_pedido numero_de_orden", ""),
    ],
};

const GERMAN: Asking = Asking {
    loose: "bitte mir uns ihre ihren ihrer ihrem ihr deine deinen dein die den das der eine einen noch kurz auch nur \
        vollstandige vollstaendige vollstandigen vollstaendigen aktuelle genaue nach um und oder gerne gern zuerst mal doch \
        dafur dafuer dazu sie ich wir nochmals nochmal einmal",
    yours: "ihre ihren ihrer ihrem ihr deine deinen dein",
    articles: "die den das der eine einen",
    not: "nicht kein keine keinen nie",
    not_before: "",
    other: "neue neuen neuer neues andere anderen anderer alternative alternativen abweichende geanderte",
    patterns: &[
        "konnten|konnen|koennten|koennen|wurden|wuerden|kannst|konntest|konnte sie|du ~ @ ~ \
         nennen|mitteilen|geben|angeben|schicken|senden|sagen|bestatigen|bestaetigen|verraten|zusenden|durchgeben|\
         ubermitteln|uebermitteln",
        "nennen|geben|schicken|senden|sagen|teilen|bestatigen|bestaetigen|ubermitteln|uebermitteln sie ~ @",
        "darf|durfte|duerfte|kann|konnte|koennte ich|wir ~ @ ~ haben|erfahren|notieren|wissen|erfragen|fragen|bitten",
        "brauche|benotige|benoetige|brauchte|braeuchte ~ @",
        "wir ~ brauchen|benotigen|benoetigen ~ @",
        "brauchen|benotigen|benoetigen wir ~ @",
        "wie ~ lautet|ist|war ~ @",
    ],
    name_patterns: &["wie heissen sie", "wie heisst du", "mit wem spreche|schreibe ich"],
    things: [
        things("vollstandigen_namen vor_und_nachnamen", "name namen vorname vornamen nachname nachnamen"),
        things("email_adresse emailadresse mailadresse mail_adresse", "email mail"),
        things("telefonnummer handynummer rufnummer mobilnummer", "telefon"),
        things("lieferadresse postanschrift wohnadresse", "adresse anschrift"),
        things("bestellnummer auftragsnummer", ""),
    ],
};

const FRENCH: Asking = Asking {
    loose: "s il vous plait svp me m nous votre vos ton ta tes le la l un une de d et ou aussi complet complete exact exacte \
        actuelle actuel simplement juste encore bien",
    yours: "votre vos ton ta tes",
    articles: "le la l un une",
    not: "pas",
    not_before: "vous",
    other: "nouveau nouvelle nouvel autre differente different alternative",
    patterns: &[
        "pouvez|pourriez|peux|pourrais vous|tu ~ donner|communiquer|indiquer|fournir|preciser|envoyer|transmettre|\
         confirmer|dire|partager|rappeler ~ @",
        "veuillez|merci ~ donner|communiquer|indiquer|fournir|preciser|envoyer|transmettre|confirmer|dire|partager|rappeler \
         ~ @",
        "donnez|communiquez|indiquez|fournissez|precisez|envoyez|transmettez|confirmez|dites|partagez|rappelez ~ @",
        "puis|pourrais|pouvons|pourrions|peut je|nous|on ~ avoir|connaitre|demander|obtenir|noter ~ @",
        "ai|avons|aurais|aurions|aurai|aurons besoin ~ @",
        "il me|nous faut|faudrait|manque ~ @",
        "quel|quelle|quels|quelles ~ est|sont|etait ~ @",
    ],
    name_patterns: &["comment vous appelez", "comment tu t appelles", "a qui ai je l honneur"],
    things: [
        things("nom_complet nom_et_prenom nom_de_famille", "nom prenom"),
        things("adresse_email adresse_mail adresse_electronique", "email mail courriel"),
        things("numero_de_telephone numero_de_portable numero_de_mobile", "telephone portable"),
        things("adresse_de_livraison adresse_postale", "adresse"),
        things("numero_de_commande numero_de_votre_commande numero_de_la_commande reference_de_commande", ""),
    ],
};
