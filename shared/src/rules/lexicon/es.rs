//! Spanish.

use super::{Hours, Lexicon};

pub(in crate::rules) const SPANISH: Lexicon = Lexicon {
    marks: "el la los las un una y a o de del en que mi mis su sus me es esta estan estoy donde cuando como cual cuanto \
        por para con no ya ha han he hay tengo tiene tienen puede puedo podria quiero quisiera dias tardes noches favor \
        llega llegara llegar llegado atencion hoy manana lunes martes miercoles jueves viernes sabado sabados domingo \
        domingos usted ustedes al se lo le si este estado necesito saber sobre alguna algun novedad novedades sigue pero \
        todavia aun mas muy bien hablas hablan habla espanol",
    phrases: "por_que por_favor buenos_dias buenas_tardes buenas_noches buen_dia a_que_hora me_gustaria hasta_luego \
        horario_de_apertura horario_de_atencion horas_de_apertura pasado_manana por_la_manana por_la_tarde en_vez \
        todos_los_dias entre_semana muchas_gracias mil_gracias de_acuerdo esta_bien",
    elided: "",
    subjects: [
        "pedido pedidos paquete paquetes envio envios orden ordenes compra compras entrega entregas encomienda",
        "solicitud solicitudes peticion peticiones ticket tickets incidencia incidencias averia averias reparacion \
         reparaciones mantenimiento",
        "cita citas visita visitas turno turnos tecnico tecnica tecnicos fontanero fontanera plomero electricista \
         reunion",
    ],
    verbs: "pedido orden visita",
    before_verbs: "he has ha hemos han habia habiamos nos",
    before_others: "",
    introduces: "pedido orden paquete envio solicitud ticket incidencia cita numero num n nr no id referencia",
    greetings: "hola buenas buenos_dias buenas_tardes buenas_noches buen_dia saludos",
    thanks: "gracias muchas_gracias mil_gracias agradezco agradecido agradecida",
    agrees: "ok okay vale perfecto genial bien de_acuerdo esta_bien entendido adios hasta_luego claro excelente",
    fillers: "muy por_favor mucho todo todos equipo que tal su ayuda por la el con y a usted ustedes un saludo cordial \
        estimado estimada estimados si muchas",
    asks: "donde cuando que cual cuales como cuanto cuanta cuantos a_que_hora esta estan ha han hay tiene tienen tengo \
        puede puedes pueden podria podrias podrian sabe saben es son se ya",
    seeks: "donde cuando estado estatus situacion seguimiento rastrear rastreo localizar novedad novedades noticia \
        noticias llega llegan llegara llegaran viene vienen pasa pasado va a_que_hora",
    mine: "mi mis mio mia mios mias me nos nuestro nuestra nuestros nuestras yo he hice hicimos tengo tenemos hemos",
    yours: "su sus usted ustedes tu tus te hacen tienen realizan entregan envian aceptan ofrecen",
    articles: "el la los las",
    own: "mi mis mio mia el la los las un una este esta ese esa lo le me nos que del al de ya",
    it: "",
    travels: "llega llegan llegara llegaran llegado llego enviaron enviado entregan entregado sale salio salido viene",
    on_its_way: "cuando ya todavia aun a_que_hora",
    missing: "no nunca nada todavia aun ningun ninguna",
    arrived: "llegado llega llego recibido recibi recibimos entregado entregaron aparece",
    when: "cuando llega llegara llegan tarda tardara a_que_hora",
    what: "que cual cuales",
    contents: "contiene incluye articulos productos dentro trae",
    about: "sobre acerca por para",
    actions: "cancel* anul* cambi* modific* devolver devolucion devuelv* reembols* reprogram* mover aplaz* pospon* \
        retras* anadir anad* agreg* quit* elimin* borr* comprar pagar pague cobr* reservar hacer pedir pido por_que mal \
        danad* roto rota defectuos* queja quejas reclam* equivocad* incorrect* en_vez diferente otro otra otros otras \
        ofrec* enviar envien envie mandar mande reenvi* dar deme redirig* politica politicas precio precios cuesta cuestan \
        costo coste costos gratis tarifa tarifas disponib* recomiend* descuento descuentos cupon factura facturas \
        recibo garantia perdi perdido perdida perdieron total importe monto pagado pago direccion telefono correo email \
        programar agendar concertar urgente actualizar aparcar estacionar recoger dura llamar llamen llameme avis* resena",
    wishes: "quiero queremos quisiera queria necesito necesitamos me_gustaria deseo",
    finds_out: "saber ver consultar conocer comprobar revisar rastrear seguir preguntar seguimiento estado donde cuando",
    polite_asks: "puede puedes pueden podria podrias podrian puedo",
    looks_up: "decir decirme decirnos dime indicar indicarme confirmar confirmarme comprobar revisar mirar ver consultar \
        informar informarme saber verificar llegado enviado entregado articulos",
    how: "como cuanto cuanta cuantos",
    how_goes: "va van esta estan es puedo sigue se tarda tiempo falta saber",
    how_to: "puedo puede hago hacer",
    updates: "",
    updates_what: "",
    hours: Hours {
        names: "horario horarios horario_de_apertura horario_de_atencion horas_de_apertura",
        open: "abierto abierta abiertos abiertas abren abre abris cierran cierra cerrado cerrada cerrados apertura cierre \
            atienden",
        fillers: "que cual cuales es son cuando a_que_hora hora horas hasta desde a de del el la los las su sus en esta \
            estan tienen tiene hay ustedes usted ahora mismo aun todavia ya por_favor dime digame decirme me puede \
            podria pueden podrian saber quiero quisiera tienda oficina oficinas recepcion local mostrador sucursal \
            publico al para y o se este estos dia dias por_la_manana por_la_tarde tambien hoy atencion cada",
        days_ahead: ["hoy ahora", "manana", "pasado_manana"],
        weekdays: ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado sabados", "domingo domingos"],
        short_weekdays: ["lun", "mar", "mie", "jue", "vie", "sab", "dom"],
        weekend: "fin fines semana",
        working_days: "entre_semana laborables",
        every_day: "todos_los_dias diario diariamente",
        to: "a hasta al",
        closed: "cerrado cerrada",
    },
};
