import { afterAll } from "vitest";
import type { Connect, Person, TestClient } from "./clients.ts";
import type { Product } from "./product.ts";

/** Opens clients of one kind, which are closed after the tests. They know the tools, so that they check every answer against the schema of its tool. */
export function opener(connect: Connect, product: () => Product): (person?: Person) => Promise<TestClient> {
  const clients: TestClient[] = [];
  afterAll(async () => {
    for (const client of clients) await client.close();
  });
  return async (person) => {
    const client = await connect(product(), "?surface=all", person);
    clients.push(client);
    await client.listTools();
    return client;
  };
}

/** People who do not agree to what a form offers: `how` they leave it as it is by choosing so, and otherwise. */
export const unwilling = (how: string, choose: string): [how: string, person: Person][] => [
  [how, async () => ({ choose })],
  ["says no", async () => "no"],
  ["puts the form away", async () => "dismissed"],
  ["answers what nobody offered", async () => ({ choose: "Something else" })],
  ["answers another question", async () => "yes"],
];
