/** A developer whose days have a structure that nobody tells the learner: tasks, each a chain with branches that depend on more than the last step. */
export interface GeneratedStep {
  command: string;
  success: boolean;
  durationMs: number;
}

/** mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const files = ["src/auth/login.ts", "src/billing/invoice.ts", "lib/parse.py", "docs/guide.md", "test/login.test.ts", "./config/app.yaml"];
const subjects = ["fix login", "add invoices", "tidy up", "speed up parsing", "say more in the guide"];
const asides = ["ls -la", "git status", "git log --oneline", "cat README.md", "pwd", "git stash", "htop", "df -h"];

/** What a task may do next; `p` of each, in order. A step is `name`, and `fails` how often it does. */
interface Node {
  write(pick: <T>(list: readonly T[]) => T, random: () => number): string;
  fails?: number;
  next: readonly (readonly [to: string, p: number])[];
  afterFailure?: readonly (readonly [to: string, p: number])[];
}

const hex = (random: () => number): string => Array.from({ length: 10 }, () => Math.floor(random() * 16).toString(16)).join("").replace(/^./, "7");

/** The same commands occur in several tasks, and go on differently there. */
const tasks: Record<string, Record<string, Node>> = {
  bugfix: {
    start: { write: (pick) => `gh issue view ${pick(["12", "340", "7"])}`, next: [["grep", 0.7], ["read", 0.3]] },
    grep: { write: (pick) => `grep -rn "${pick(subjects)}" src`, next: [["read", 1]] },
    read: { write: (pick) => `Read ${pick(files)}`, next: [["edit", 0.8], ["read", 0.2]] },
    edit: { write: (pick) => `Edit ${pick(files)}`, next: [["test", 0.9], ["edit", 0.1]] },
    test: { write: (pick) => `npx vitest run ${pick(files)}`, fails: 0.4, next: [["add", 1]], afterFailure: [["read", 0.3], ["edit", 0.7]] },
    add: { write: () => "git add -A", next: [["commit", 1]] },
    commit: { write: (pick) => `git commit -m "${pick(subjects)}"`, next: [["push", 0.9], ["end", 0.1]] },
    push: { write: () => "git push", next: [["pr", 0.8], ["end", 0.2]] },
    pr: { write: (pick) => `gh pr create --title "${pick(subjects)}" --fill`, next: [["end", 1]] },
  },
  review: {
    start: { write: (_, random) => `gh pr checkout ${Math.floor(random() * 900)}`, next: [["diff", 1]] },
    diff: { write: () => "git diff main", next: [["read", 0.8], ["test", 0.2]] },
    read: { write: (pick) => `Read ${pick(files)}`, next: [["read", 0.4], ["test", 0.6]] },
    test: { write: (pick) => `npx vitest run ${pick(files)}`, fails: 0.2, next: [["approve", 1]], afterFailure: [["request", 1]] },
    approve: { write: (_, random) => `gh pr review ${Math.floor(random() * 900)} --approve`, next: [["end", 1]] },
    request: { write: (pick) => `gh pr review 4 --request-changes --body "${pick(subjects)}"`, next: [["end", 1]] },
  },
  release: {
    start: { write: () => "git checkout main", next: [["pull", 1]] },
    pull: { write: () => "git pull --rebase", next: [["test", 1]] },
    test: { write: () => "npm test", fails: 0.1, next: [["version", 1]], afterFailure: [["end", 1]] },
    version: { write: (pick) => `npm version ${pick(["1.2.3", "2.0.1"])}`, next: [["push", 1]] },
    push: { write: () => "git push", next: [["publish", 1]] },
    publish: { write: () => "npm publish", fails: 0.2, next: [["deploy", 1]], afterFailure: [["login", 1]] },
    login: { write: () => "npm login", next: [["publish", 1]] },
    deploy: { write: (_, random) => `kubectl set image deploy/api api=registry/api:${hex(random)}`, next: [["rollout", 1]] },
    rollout: { write: () => "kubectl rollout status deploy/api", fails: 0.15, next: [["end", 1]], afterFailure: [["undo", 1]] },
    undo: { write: () => "kubectl rollout undo deploy/api", next: [["end", 1]] },
  },
  feature: {
    start: { write: (pick) => `git checkout -b feature/${pick(["login", "export", "search"])}`, next: [["read", 0.5], ["write", 0.5]] },
    read: { write: (pick) => `Read ${pick(files)}`, next: [["write", 0.7], ["read", 0.3]] },
    write: { write: (pick) => `Write ${pick(files)}`, next: [["edit", 0.6], ["types", 0.4]] },
    edit: { write: (pick) => `Edit ${pick(files)}`, next: [["types", 0.7], ["edit", 0.3]] },
    types: { write: () => "npx tsc --noEmit", fails: 0.5, next: [["lint", 1]], afterFailure: [["edit", 1]] },
    lint: { write: () => "npm run lint", fails: 0.3, next: [["add", 1]], afterFailure: [["fix", 1]] },
    fix: { write: () => "npm run lint -- --fix", next: [["add", 1]] },
    add: { write: () => "git add -A", next: [["amend", 0.3], ["commit", 0.7]] },
    amend: { write: () => "git commit --amend --no-edit", next: [["force", 1]] },
    force: { write: () => "git push --force-with-lease", next: [["end", 1]] },
    commit: { write: (pick) => `git commit -m "${pick(subjects)}"`, next: [["write", 0.4], ["push", 0.6]] },
    push: { write: () => "git push", next: [["end", 1]] },
  },
  docs: {
    start: { write: () => "Read docs/guide.md", next: [["edit", 1]] },
    edit: { write: () => "Edit docs/guide.md", next: [["edit", 0.3], ["serve", 0.7]] },
    serve: { write: () => "npm run docs", next: [["curl", 0.5], ["edit", 0.3], ["add", 0.2]] },
    curl: { write: (pick) => `curl -s http://localhost:8080/${pick(["guide", "limits"])}`, next: [["add", 1]] },
    add: { write: () => "git add docs", next: [["commit", 1]] },
    commit: { write: (pick) => `git commit -m "${pick(subjects)}"`, next: [["end", 1]] },
  },
};
/** What somebody does after what. */
const days: Record<string, readonly (readonly [string, number])[]> = {
  bugfix: [["review", 0.4], ["bugfix", 0.3], ["docs", 0.2], ["release", 0.1]],
  review: [["bugfix", 0.4], ["feature", 0.4], ["review", 0.2]],
  feature: [["docs", 0.4], ["review", 0.3], ["release", 0.2], ["feature", 0.1]],
  docs: [["feature", 0.4], ["bugfix", 0.4], ["release", 0.2]],
  release: [["bugfix", 0.5], ["feature", 0.5]],
};

/** An aside comes between any two steps. */
const asideShare = 0.08;

export function* developer(seed: number): Generator<GeneratedStep, never> {
  const random = randomOf(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const drawn = (choices: readonly (readonly [string, number])[]): string => {
    let left = random();
    for (const [to, p] of choices) if ((left -= p) < 0) return to;
    return (choices.at(-1) as readonly [string, number])[0];
  };
  let task = "bugfix";
  for (;;) {
    for (let at = "start"; at !== "end"; ) {
      const { write, fails = 0, next, afterFailure = next } = (tasks[task] as Record<string, Node>)[at] as Node;
      const success = random() >= fails;
      yield { command: write(pick, random), success, durationMs: Math.round(200 + random() * 4_000) };
      if (random() < asideShare) yield { command: pick(asides), success: true, durationMs: 50 };
      at = drawn(success ? next : afterFailure);
    }
    task = drawn(days[task] as readonly (readonly [string, number])[]);
  }
}
