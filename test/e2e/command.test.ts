import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPackage } from "../../scripts/package/build.ts";

const dist = mkdtempSync(join(tmpdir(), "omnimemory-dist-"));
beforeAll(() => buildPackage(dist));
afterAll(() => rmSync(dist, { recursive: true, force: true }));

const start = (args: string[]) => spawn(process.execPath, [join(dist, "omnimemory.js"), ...args], { stdio: ["ignore", "pipe", "pipe"] });

async function run(...args: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = start(args);
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

describe("omnimemory [F6]", () => {
  const commands = ["", "hooks", "hooks install", "hooks remove", "hook stop", "import", "project"];

  test.each(commands.flatMap((command) => ["--help", "-h"].map((option) => `${command} ${option}`)).concat("help"))("%s prints the usage", async (line) => {
    expect(await run(...line.split(" ").filter(Boolean))).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage:\n {2}omnimemory hooks install /) as string, stderr: "" });
  });

  test.each(["--version", "-V"])("%s prints the package's version", async (option) => {
    const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
    expect(await run(option)).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });

  test.each(["", "nope", "hooks", "hooks nope", "project nope", "import", "--nope", "hooks install --url"])('"%s" is no command: the usage goes to stderr, and nothing to who reads the output', async (line) => {
    expect(await run(...line.split(" ").filter(Boolean))).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("Usage:\n") as string });
  });

  test("ends quietly when nobody reads the output any more", async () => {
    const child = start(["--help"]);
    child.stdout.destroy();
    const code = new Promise<number | null>((resolve) => child.once("close", resolve));
    expect(await text(child.stderr)).toBe("");
    expect(await code).toBe(0);
  });
});
