//! Instructions: `Reset the router`, `Open {{Profile}}` begin with a word that looks like a name and is a verb.

use super::placeholder::NAME;
use crate::values::{Kind, Value};
use std::collections::HashSet;
use std::sync::LazyLock;

/// Whether what looks like a name is the verb that begins an instruction: a word that is known as one, with an object
/// behind it. An object alone shows nothing: `Rita the cleaner`.
pub(super) fn is_instruction(value: &Value<'_>, after: &str) -> bool {
    let after = after.strip_prefix(' ').unwrap_or_default();
    let word_after = after.split(|mark: char| !mark.is_alphabetic()).next().unwrap_or_default();
    let placeholder = after.starts_with("{{") && !after.starts_with(NAME);
    value.kind == Kind::Name
        && !value.sure
        && (placeholder || OBJECTS.contains(&word_after))
        && KNOWN.contains(value.text.to_lowercase().as_str())
}

static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| VERBS.split_ascii_whitespace().collect());

/// Words with which an object begins: an instruction has one.
const OBJECTS: [&str; 48] = [
    "a", "all", "an", "any", "both", "each", "every", "her", "him", "his", "it", "its", "me", "my", "our",
    "that", "the", "their", "them", "these", "this", "those", "us", "your", "den", "das", "die", "dem",
    "ihn", "sie", "Sie", "einen", "eine", "ein", "el", "la", "los", "las", "un", "una", "su", "le", "les",
    "votre", "une", "o", "os", "seu",
];

/// Verbs of instructions. What is a first name as well (`Mark`, `Grant`, `Rob`) is none of them.
const VERBS: &str = "
    access activate adapt adjust advise allow analyse analyze apply approve arrange assess assign assure attach
    authorise authorize avoid bleed block calculate calibrate clean clear collect combine compare compile compose
    compress configure confirm contact convert copy correct craft deactivate decline define delete demonstrate
    describe detach determine dial disable disassemble disconnect discuss dismiss dispatch document download drag
    drain dry edit eject empty enable encourage escalate estimate evaluate examine exchange expand expect explain
    explore express extend extract fasten fetch filter finalise finalize finish fit fix flip flush fold forward
    freeze gather generate grab grease guide hang hide highlight hit hold identify ignore import improve include
    increase indicate inflate inform initiate insert inspect install instruct investigate invite issue join justify
    lift limit link listen load locate lower lubricate maintain measure mention merge migrate monitor mount navigate
    negotiate notify obtain offer open order organise organize outline paint paste perform plug post prepare press
    prevent proceed process proofread propose prove push raise rate reach read reassemble reassure reattach rebook
    reboot recalculate recharge recommend reconnect record recover redeem redirect reduce refer refill refit reflect
    refresh refund refuse register reimburse reinsert reinstall reissue reject relaunch release reload relocate
    remount rename renew reopen repaint repair replace replug repost request research resend reserve reset resolve
    respond restart restore retain retrieve retry revert review revise rewind rewire rinse rotate scan screw seal
    select separate share shift shorten shut slide soak specify split spot spray squeeze store summarise summarize
    supply suspend swap swipe switch synchronise synchronize take tap teach test throw tighten tilt toggle touch
    transfer transform translate treat trigger troubleshoot turn type unblock uncheck undo unfold uninstall unlink
    unlock unmount unplug unscrew unsubscribe untick upload utilise utilize validate verify visit void wash weigh
    wipe withdraw wrap

    aktivieren aktualisieren anbieten anrufen antworten austauschen beachten beantragen bearbeiten benachrichtigen
    benutzen bestellen bestätigen bieten bringen buchen deaktivieren deinstallieren drehen drücken entfernen
    entleeren entlüften entsorgen ergänzen erklären ermitteln erneuern ersetzen erstatten erstellen folgen fragen
    füllen geben gehen halten holen informieren installieren klicken klären kontaktieren kopieren kündigen laden
    lassen leeren legen leiten lesen löschen lösen machen melden messen nehmen notieren nutzen prüfen reinigen
    reparieren rufen sagen scannen schalten schicken schließen schreiben senden setzen speichern sperren starten
    stecken stellen stornieren suchen tauschen teilen tippen tragen trennen umtauschen verbinden vereinbaren
    vergleichen verlegen verschicken versuchen verwenden warten wechseln weisen wiederholen wählen zeigen ziehen
    zurücksetzen öffnen überprüfen übertragen überweisen

    abra abrir actualice actualizar ajuste apagar apague añada añadir buscar busque cambiar cambie cancelar cancele
    cerrar cierre comprobar compruebe conectar conecte confirme copiar copie descargar descargue desconectar
    desconecte elegir elija eliminar elimine encender encienda enviar envíe escriba escribir espere explicar
    explique hacer haga informar informe ingresar ingrese iniciar inicie instalar instale introduzca limpiar limpie
    llamar llame marque ofrecer ofrezca pedir pida presionar presione pulsar pulse quitar quite reemplace reemplazar
    reiniciar reinicie reponga restablecer restablezca revisar seleccionar seleccione solicitar solicite usar use
    verificar verifique

    activez ajouter ajoutez allumer allumez annuler annulez appeler appelez appuyer appuyez attendez brancher
    branchez changer changez choisir choisissez cliquer cliquez configurez confirmez contacter contactez copiez
    demander demandez débrancher débranchez désactivez effacer effacez enregistrez entrez envoyer envoyez expliquer
    expliquez faire faites fermer fermez informer informez installer installez insérez mettez mettre nettoyer
    nettoyez offrez offrir ouvrez ouvrir proposer proposez purger purgez rebrancher rebranchez redémarrer redémarrez
    remplacer remplacez remplissez retirer retirez réinitialiser réinitialisez saisir saisissez supprimer supprimez
    sélectionner sélectionnez tournez télécharger téléchargez utiliser utilisez vider videz vérifier vérifiez
    éteignez éteindre

    aceda apertar aperte atualizar atualize carregar carregue clicar clique confirmar contacte contatar desligar
    desligue digitar digite envie escolha escolher fechar feche ligar ligue limpar limpe mudar mude oferecer ofereça
    peça preencha pressionar pressione retirar retire selecionar selecione substitua substituir trocar troque
";

#[cfg(test)]
mod tests {
    use super::super::people::is_name;
    use super::*;
    use crate::similar::placeholder::without_values;

    fn clean(text: &str) -> String {
        without_values(text, is_instruction)
    }

    #[test]
    fn a_verb_with_its_object_is_no_name() {
        assert_eq!(clean("Press {{Cancel}}. Rita {{Name}} saw."), "Press {{Cancel}}. {{Name}} {{Name}} saw.");
        for text in [
            "Reset the router. Bleed it, then wait.",
            "1. Locate the {{Order}} section\n2. Scan your ticket",
            "Entlüften Sie die {{Name}}",
            "Reinicie el {{Name}}. Redémarrez votre box",
        ] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn isolation_a_name_with_an_article_behind_it_is_one() {
        for (said, left) in [
            ("Rita the cleaner let them in.", "{{Name}} the cleaner let them in."),
            ("- Oskar, the partner\n- Mark the plumber", "- {{Name}}, the partner\n- {{Name}} the plumber"),
            ("Müller die Reinigung", "{{Name}} die {{Name}}"),
            ("Rita {{Phone Number}}", "{{Name}} {{Phone Number}}"),
            ("Ana la vecina. Luc le voisin.", "{{Name}} la vecina. {{Name}} le voisin."),
        ] {
            assert_eq!(clean(said), left);
        }
    }

    #[test]
    fn no_verb_is_a_name_of_people() {
        let named: Vec<&str> = VERBS.split_ascii_whitespace().filter(|verb| is_name(verb)).collect();
        assert!(named.is_empty(), "{named:?}");
    }
}
