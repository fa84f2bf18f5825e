import { describe, expect, test } from "vitest";
import { extractByRules } from "../../../src/domain/intelligence/rules/extract.ts";
import { quickest } from "../../support/quickest.ts";

const factsOf = (text: string): string[] => extractByRules([{ role: "user", text }]).facts.map((fact) => fact.text);

describe("French and Spanish are kept as they were said, with who said it [D2]", () => {
  test.each([
    "J'habite à Lyon avec ma femme et mes enfants.",
    "Je m’appelle Karim, j’ai 34 ans.",
    "Je ne mange pas de viande.",
    "J'ai arrêté de fumer.",
    "Mon fils s'appelle Léo.",
    "Nous utilisons Postgres 16 en production.",
    "On déploie le jeudi.",
    "Ne mets jamais d'emoji dans les commits.",
    "Réponds toujours en français.",
    "Nos réunions ont lieu le mardi à 9 h.",
    "Vivo en Madrid con mi pareja y dos hijos.",
    "Soy alérgico a las nueces.",
    "Ya no bebo alcohol.",
    "Mi hija Lucía empieza el colegio en septiembre.",
    "Me mudé a Barcelona el mes pasado.",
    "Usamos Redis para la caché.",
    "Hemos decidido migrar a Kubernetes el próximo año.",
    "No uses emojis en los commits.",
    "Responde siempre en español.",
    "A partir de ahora responde en español.",
    "Prefiero respuestas cortas.",
  ])("%s", (text) => expect(factsOf(text)).toEqual([`User: ${text.replaceAll("’", "'")}`]));

  test.each([
    "Le serveur de staging écoute sur le port 8443.",
    "L'équipe utilise Linear pour les tickets.",
    "Julie dirige l'équipe mobile.",
    "La clé de l'API expire le 30 novembre.",
    "El servidor de staging escucha en el puerto 8443.",
    "El equipo usa Linear para los tickets.",
    "Julia dirige el equipo móvil.",
    "La clave de la API caduca el 30 de noviembre.",
  ])("of a thing or somebody else: %s", (text) => expect(factsOf(text)).toEqual([text]));

  test.each([
    "Bonjour ! Peux-tu corriger ce bug ?",
    "J'ai besoin d'aide avec ce test.",
    "Écris un test pour cette fonction.",
    "Regarde le fichier main.ts, il y a une erreur.",
    "Je n'ai pas compris ta réponse.",
    "Je pense que c'est une bonne idée.",
    "Merci beaucoup, c'est parfait !",
    "Le café est bon.",
    "Ça ne compile pas.",
    "Hola, ¿puedes corregir este error?",
    "Necesito ayuda con esta prueba.",
    "Escribe una prueba para esta función.",
    "Mira el archivo main.ts, hay un error.",
    "No entiendo tu respuesta.",
    "Creo que es una buena idea.",
    "Gracias, funciona perfectamente.",
    "Tengo una pregunta.",
  ])("what is asked for or said in passing is none: %s", (text) => expect(factsOf(text)).toEqual([]));

  test("a greeting before it is left out", () => {
    expect(factsOf("Bonjour, je suis allergique aux noix.")).toEqual(["User: je suis allergique aux noix."]);
    expect(factsOf("Hola, me llamo Pablo.")).toEqual(["User: me llamo Pablo."]);
    expect(factsOf("N'oublie pas que j'habite à Lyon.")).toEqual(["User: j'habite à Lyon."]);
    expect(factsOf("No olvides que vivo en Madrid.")).toEqual(["User: vivo en Madrid."]);
  });

  test("two clauses of the speaker are two facts", () => {
    expect(factsOf("J'habite à Lyon et je travaille chez Airbus.")).toEqual(["User: J'habite à Lyon", "User: je travaille chez Airbus."]);
    expect(factsOf("Bonjour, je m’appelle Camille et j’ai deux chats.")).toEqual(["User: je m'appelle Camille", "User: j'ai deux chats."]);
    expect(factsOf("Me llamo Pablo y soy ingeniero.")).toEqual(["User: Me llamo Pablo", "User: soy ingeniero."]);
  });

  test("an assistant states what it did", () => {
    expect(extractByRules([{ role: "assistant", text: "J'ai ajouté les scripts dans db/migrations." }]).facts).toHaveLength(1);
    expect(extractByRules([{ role: "assistant", text: "Nous utilisons Postgres 16 en production." }]).facts).toEqual([]);
  });
});

test.each(["je ", "le ", "La ", "ne me ", "oui, ", "yo ", "en la ", "el ", "sí, ", "desde ", "en el ", "no me ", "Ana 1 ", "l'", "é"])("a sentence that says %j again and again takes no time [S6]", (part) => {
  for (const lead of ["", "Je suis ", "Vivo en ", "Le ", "En el sí, y "]) {
    const text = `${lead}${part.repeat(Math.floor(560 / part.length))}zebra.`;
    expect(quickest(() => extractByRules([{ role: "user", text }]))).toBeLessThan(100);
  }
});
