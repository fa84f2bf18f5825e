import * as z from "zod";
import { invalid } from "../errors.ts";
import { type Expected, isWork, parsedMemories, recordsOf } from "../memories/import.ts";
import type { PortableMemory } from "../memories/portable.ts";
import { describeProblems } from "../problems.ts";
import { portableWork, type PortableWork } from "./portable-work.ts";

const works = z.array(portableWork);

/** The records of an export, memories and work, in the order of the file. */
export async function parseTransfer(data: string, expected: Expected): Promise<(PortableMemory | PortableWork)[]> {
  const records = await recordsOf(data, expected);
  const memories = parsedMemories(records.filter((record) => !isWork(record)));
  const given = records.filter(isWork);
  const parsed = works.safeParse(given);
  if (!parsed.success) throw invalid(`Not every record of work is one: ${describeProblems(parsed.error, works, given)}.`, "Repair these records and import again. Nothing was imported.");
  const [memory, work] = [memories.values(), parsed.data.values()];
  return records.map((record) => (isWork(record) ? work : memory).next().value as PortableMemory | PortableWork);
}
