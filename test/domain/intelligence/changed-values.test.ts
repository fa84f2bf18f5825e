import { expect, test } from "vitest";
import type { Note } from "../../../src/domain/intelligence/intelligence.ts";
import { decideByRules } from "../../../src/domain/intelligence/rules/decide.ts";

const eventOf = (stored: string, fact: string): string | undefined => decideByRules([fact], [{ content: stored } as Note]).memory[0]?.event;

test.each([
  ["The rate limit is 100 requests per minute.", "The rate limit was raised to 200 requests per minute."],
  ["Our budget is 5000 euros.", "Our budget was cut to 4000 euros."],
  ["The user's salary is 60000.", "The user's salary has been raised to 65000."],
  ["The timeout is 30 seconds.", "The timeout was increased to 60 seconds."],
  ["Unser Standup ist um 9:30 Uhr.", "Unser Standup wurde auf 10 Uhr verschoben."],
  ["Unser Standup ist am Montag.", "Unser Standup wurde auf Dienstag verschoben."],
  ["Das Limit beträgt 100 Anfragen.", "Das Limit wurde auf 200 Anfragen erhöht."],
  ["Anna owns the billing service.", "Tom now owns the billing service."],
  ["Max Weber leads the platform team.", "Julia Kern leads the platform team now."],
  ["We ship every two weeks.", "We ship weekly now."],
  ["We release once a month.", "We now release every 2 weeks."],
  ["User: We use Node 18", "User: We upgraded to Node 22"],
  ["We use Node 18.", "We recently upgraded Node to 22."],
  ["Anna manages the design team.", "Tom now manages the design team."],
  ["Max reports to Julia.", "Max now reports to Tom."],
  ["The database is Postgres 15.", "User: We upgraded the database to Postgres 16."],
  ["User's name is Alexander.", "User changed their name to Alex."],
  ["User is married.", "User got divorced."],
  ["User: 我住在北京。", "User: 我搬到上海了。"],
  ["User: J'habite à Lyon.", "User: J'ai déménagé à Paris."],
  ["User: je vis à Lyon.", "User: J'ai déménagé à Paris."],
  ["Le port de staging est 8080.", "Le port de staging est 9090."],
  ["User: Mon chef est Luc.", "User: Mon chef est Marie."],
  ["User: Vivo en Madrid.", "User: Me mudé a Barcelona."],
  ["El puerto de staging es 8080.", "El puerto de staging es 9090."],
  ["User: No uso Docker.", "User: Uso Docker."],
])("%s / %s: the new value takes the place of the old one [D2]", (stored, fact) => {
  expect(eventOf(stored, fact)).toBe("UPDATE");
});

test.each([
  ["The rate limit is 100 requests per minute.", "The upload limit was raised to 200 requests per minute."],
  ["The timeout is 30 seconds.", "The timeout was not increased to 60 seconds."],
  ["The timeout is 30 seconds.", "The timeout of the worker was increased to 60 seconds."],
  ["Anna owns the billing service.", "Tom owns the billing service."],
  ["Anna owns the billing service.", "Tom now also owns the billing service."],
  ["Anna owns the billing service.", "Tom now owns the search service."],
  ["The rate limit is 100.", "The rate limit was set to 200 in 2019."],
  ["The rate limit is 100.", "The rate limit was raised to 200 for enterprise customers."],
  ["The rate limit is 100.", "The rate limit was raised to 200 during the load test."],
  ["The rate limit is 100.", "The rate limit is 200 in staging."],
  ["Das Limit beträgt 100 Anfragen.", "Das Limit wurde auf 200 Anfragen in Staging erhöht."],
  ["The price is 30 euros.", "The price was cut to 20 euros during the sale."],
  ["Anna owns a cat.", "Tom now owns a cat."],
  ["We ship every two weeks.", "We ship to Canada now."],
  ["We use Node 18.", "We upgraded to Node 22 in staging."],
  ["We use Node 18.", "We upgraded to Postgres 22."],
  ["We use Node 18 and npm 9.", "We upgraded to Node 22."],
  ["We use Python 3.11 in the notebooks.", "We upgraded to Python 3.12."],
  ["Anna manages the design team.", "Tom now manages the platform team."],
  ["Max reports to Julia.", "Max reports to Tom."],
  ["Max reports to Julia.", "Anna now reports to Tom."],
  ["Max reports to Julia and Tom.", "Max now reports to Tom."],
  ["Max reports to Julia on budgets.", "Max now reports to Tom."],
  ["Max reports to Julia.", "Max now reports to Tom on budgets."],
  ["We ship every two weeks.", "We now meet weekly."],
  ["We ship every two weeks.", "We do not ship weekly now."],
  ["The database is Postgres 15.", "User: We upgraded the database to MySQL 8."],
  ["The database has 40 tables.", "User: We upgraded the database to Postgres 16."],
  ["User's name is Alexander.", "User's brother changed his name to Alex."],
  ["User's sister is married.", "User got divorced."],
  ["User: J'habite à Lyon.", "User: J'habite à Lyon avec mes parents."],
  ["Le port de staging est 8080.", "Le port de production est 9090."],
  ["User: Mon chef est Luc.", "User: Mon chef est en vacances."],
  ["User: J'aime le café.", "User: J'aime le thé."],
  ["User: Vivo en Madrid.", "User: Vivo en Madrid desde 2020."],
  ["User: Usamos Jest y Vitest.", "User: Ya no usamos Jest."],
  ["User: Nous utilisons Jest.", "User: Nous n'utilisons plus Redux."],
  ["User: Mi jefe es Luis.", "User: Mi jefe es muy simpático."],
  ["User: Tengo un gato.", "User: Tengo un perro."],
  ["Unser Standup ist um 9:30 Uhr.", "Unser Review wurde auf 10 Uhr verschoben."],
])("%s / %s: another matter changes nothing [D2]", (stored, fact) => {
  expect(eventOf(stored, fact)).toBe("ADD");
});

test.each([
  ["User: Nous utilisons Jest.", "User: Nous n'utilisons plus Jest."],
  ["User: Usamos Jest.", "User: Ya no usamos Jest."],
])("%s / %s: what holds no more ends [D2]", (stored, fact) => {
  expect(eventOf(stored, fact)).toBe("DELETE");
});
