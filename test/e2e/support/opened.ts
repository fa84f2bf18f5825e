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
