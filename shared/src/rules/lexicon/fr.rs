//! French.

use super::{Hours, Lexicon};

pub(in crate::rules) const FRENCH: Lexicon = Lexicon {
    marks: "le la les l un une des du de et je j vous nous mon ma mes votre vos est sont ou quand que qu qui quoi quel \
        quelle quels quelles comment pourquoi combien ne n pas ai as a avez avons il elle ce cette ca pour avec dans \
        sur en y puis peux pouvez voudrais rendez statut aujourd hui aujourdhui demain lundi mardi mercredi jeudi \
        vendredi samedi dimanche svp plait arrive arrivee recu jusqu heure on me se si son par mais toujours encore parlez francais",
    phrases: "ou_est ou_reste ou_sont ou_en ou_se rendez_vous est_ce_que qu_est_ce s_il_vous_plait s_il_te_plait a_quelle_heure \
        bonne_journee bonne_soiree au_revoir d_accord tres_bien apres_demain mise_a_jour toujours_pas au_lieu \
        tous_les_jours en_semaine aujourd_hui a_propos jusqu_a en_cours c_est",
    elided: "l d j n m t s c qu jusqu lorsqu puisqu",
    subjects: [
        "commande commandes colis paquet paquets livraison livraisons envoi envois expedition achat achats suivi",
        "demande demandes requete requetes ticket tickets reparation reparations maintenance signalement depannage",
        "rendez_vous rdv visite visites technicien technicienne plombier electricien reunion",
    ],
    verbs: "commande commandes demande demandes visite envoi",
    before_verbs: "je j on nous vous il elle tu qui te me",
    before_others: "",
    introduces: "commande colis demande ticket rendez_vous rdv numero num no nr n id reference",
    greetings: "bonjour bonsoir salut coucou",
    thanks: "merci remercie",
    agrees: "ok okay d_accord parfait super entendu tres_bien compris au_revoir bonne_journee bonne_soiree genial bien \
        impeccable",
    fillers: "beaucoup bien vous pour votre aide et a tous toute l equipe infiniment d avance cordialement madame \
        monsieur c est je oui mille tout le la s_il_vous_plait svp",
    asks: "ou_est ou_reste ou_sont ou_en ou_se quand que qu quel quelle quels quelles comment combien est sont a as ai avez peux \
        puis pouvez pourriez pourrais est_ce_que qu_est_ce y a_quelle_heure",
    seeks: "ou_est ou_reste ou_sont ou_en ou_se quand statut etat suivi suivre nouvelle nouvelles avancement arrive arrivent \
        arrivera arriveront passe a_quelle_heure mise_a_jour",
    mine: "mon ma mes j je m me moi nous notre nos",
    yours: "vous votre vos tu ton ta tes",
    articles: "le la les l",
    own: "mon ma mes j je m me moi nous notre nos le la les l un une ce cette cet c il elle de du des d",
    it: "elle il ils elles ca c",
    travels: "arrive arrivent arrivera arrivee arriver partie parti livree livre expediee expedie la en_cours",
    on_its_way: "quand est pas deja encore est_ce_que a_quelle_heure",
    missing: "pas jamais rien toujours_pas aucun aucune",
    arrived: "arrive arrivee arrives arrivees recu recue recus recues livre livree",
    when: "quand arrive arrivera arrivent heure a_quelle_heure",
    what: "que qu quoi quel quels quelle quelles qu_est_ce",
    contents: "contient dedans articles contenu interieur",
    about: "concernant pour sur a_propos",
    actions: "annul* modifi* chang* retour* renvo* echang* rembours* remplac* report* deplac* decal* ajout* enlev* supprim* \
        acheter pay* factur* reserv* prendre passer fixer pourquoi faux fausse abime* casse* defectueu* plainte reclam* \
        au_lieu autre autres different* envoyer envoyez donner rediri* politique prix coute coutent cout tarif* gratuit* \
        frais disponib* recommand* remise reduction promo garantie perdu* total montant adresse telephone \
        mail email courriel retard erreur offrez proposez vendez garer recuperer dure appeler rappeler prevenir avis",
    wishes: "veux voulons voudrais voudrions souhaite souhaiterais aimerais besoin",
    finds_out: "savoir connaitre voir verifier suivre suivi statut etat nouvelles ou_est ou_en quand",
    polite_asks: "pouvez pourriez peux peut puis pourrais pourrait",
    looks_up: "dire indiquer confirmer verifier regarder preciser consulter voir savoir arrivee expediee livree articles",
    how: "comment combien",
    how_goes: "va vont est sont se est_ce_que puis peux savoir suivre voir temps de",
    how_to: "puis peux peut faire dois",
    updates: "",
    updates_what: "",
    hours: Hours {
        names: "horaires horaire",
        open: "ouvert ouverts ouverte ouvertes ouvrez ouvre ouvrent ouverture fermez ferme fermes fermee fermees ferment \
            fermeture",
        fillers: "quel quels quelle quelles sont est quand que qu a_quelle_heure heure heures jusqu jusqu_a a de d du des le \
            la les l un vous votre vos etes avez en ce c cette est_ce_que qu_est_ce y il encore maintenant actuellement \
            s_il_vous_plait svp pouvez pourriez me dire savoir je voudrais puis peux magasin boutique bureau bureaux \
            accueil reception agence et ou aussi pour semaine matin soir apres midi deja jour jours c_est",
        days_ahead: ["aujourd'hui aujourdhui aujourd_hui maintenant", "demain", "apres_demain"],
        weekdays: [
            "lundi lundis",
            "mardi mardis",
            "mercredi mercredis",
            "jeudi jeudis",
            "vendredi vendredis",
            "samedi samedis",
            "dimanche dimanches",
        ],
        short_weekdays: ["lun", "mar", "mer", "jeu", "ven", "sam", "dim"],
        weekend: "weekend week-end week end",
        working_days: "en_semaine ouvrables",
        every_day: "tous_les_jours quotidien",
        to: "a au jusqu_a",
        closed: "ferme fermee fermes",
    },
};
