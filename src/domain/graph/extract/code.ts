import type { EntityType } from "../graph.ts";
import type { Token } from "./tokenizer.ts";

/** Classifies a single word by its form alone. */
export interface CodeName {
  name: string;
  type: EntityType;
  confidence: number;
  /** A package with its version: both are worth knowing. */
  versionOf?: string;
}

const extensions =
  "ts|tsx|mts|cts|js|jsx|mjs|cjs|json|jsonc|json5|ndjson|yaml|yml|toml|ini|env|md|mdx|txt|csv|tsv|sql|sh|bash|zsh|ps1|py|ipynb|rb|go|rs|java|kt|kts|scala|c|h|cc|cpp|hpp|cs|php|swift|dart|lua|ex|exs|erl|hs|clj|vue|svelte|astro|css|scss|sass|less|html|xml|svg|proto|graphql|gql|prisma|tf|hcl|lock|log|conf|cfg|properties|gradle|wasm|db|sqlite|png|jpg|pdf|diff|patch";
const file = new RegExp(String.raw`^[\w@+-][\w@.+-]*\.(?:${extensions})$`, "i");
const hasExtension = new RegExp(String.raw`\.(?:${extensions})$`, "i");
const path = /^(?:~|\.{1,2})?\/?(?:[\w@.+[\]-]+\/)+[\w@.+[\]*-]*$/;
const roots = new Set(
  "src test tests lib apps packages docs scripts cmd internal pkg bin migrations components node_modules etc usr var opt tmp".split(" "),
);
const dotFiles = /^\.(?:env(?:\.\w+)?|gitignore|npmrc|nvmrc|dockerignore|editorconfig|eslintrc(?:\.\w+)?|prettierrc(?:\.\w+)?|oxlintrc\.json|bashrc|zshrc|github|husky)$/;
const bareFiles = new Set(["Dockerfile", "Makefile", "Gemfile", "Rakefile", "Procfile", "Vagrantfile", "Jenkinsfile", "CODEOWNERS"]);

/** `errno(3)` as Node and libuv report it. */
const errno = new Set(
  `EACCES EADDRINUSE EADDRNOTAVAIL EAGAIN EALREADY EBADF EBUSY ECANCELED ECONNABORTED ECONNREFUSED ECONNRESET EDESTADDRREQ EEXIST EFAULT EFBIG EHOSTUNREACH EINTR EINVAL EIO EISDIR
  EMFILE EMSGSIZE ENAMETOOLONG ENETDOWN ENETUNREACH ENFILE ENOBUFS ENODEV ENOENT ENOEXEC ENOMEM ENOSPC ENOSYS ENOTCONN ENOTDIR ENOTEMPTY ENOTFOUND ENOTSOCK ENOTSUP EPERM EPIPE EPROTO
  ERANGE EROFS ESRCH ETIMEDOUT EXDEV EAI_AGAIN ERESOLVE EINTEGRITY SIGKILL SIGTERM SIGSEGV SIGINT SIGABRT OOMKilled CrashLoopBackOff`.split(/\s+/),
);
const errorCode = /^(?:ERR_[A-Z][A-Z0-9_]+|TS\d{4,5}|CS\d{4}|ORA-\d{4,5}|SQLSTATE\d{5}|E0\d{3}|P[12]\d{3}|PGRST\d{3}|SQLITE_[A-Z_]+|0x8[0-9A-Fa-f]{7})$/;
const ticket = /^(?:[A-Z][A-Z0-9]{1,9}-\d{1,6}|CVE-\d{4}-\d{4,7}|[\w.-]{1,60}\/[\w.-]{1,60}#\d{1,6})$/;
/** Standards, algorithms and models have the form of a ticket. */
const notTickets = new Set(
  "UTF SHA AES ISO RSA RFC HTTP TLS SSL MD GPT IEEE ES ECMA COVID ARM MP USB PEP BIP EIP RS HS PS BASE CRC FIPS PCI SOC DES RC IPV PBKDF CSS HTML WCAG ANSI ASCII LTE A B C D E F G H X Y Z P R Q V T M".split(" "),
);
const packageVersion = /^((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)@(?:\^|~|>=|=)?v?(\d+(?:\.\d+){0,3}(?:-[\w.]+)?)$/;
const scopedPackage = /^@[a-z0-9][\w.-]*\/[a-z0-9][\w.-]*$/;
const uuidOrHash = /^(?:[0-9a-f]{7,64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
const host = /^(?:[a-z0-9-]+\.)+(?:com|org|net|io|dev|app|ai|co|edu|gov|cloud|sh|me|xyz|tech|local|internal|uk|de|fr|eu)$/;

const call = /^[A-Za-z_$][\w$.]*\(\)$/;
const dotted = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/;
const camel = /^[a-z$_][a-z0-9]*[A-Z][\w$]*$/;
const pascal = /^[A-Z][a-z0-9]+(?:[A-Z]+[a-z0-9]+)+[A-Z]*$/;
const acronymPascal = /^[A-Z]{2,5}[A-Z][a-z0-9]{2,}(?:[A-Z][a-z0-9]*)*$/;
const snake = /^_*[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+$/;
const quotedName = /^[@A-Za-z_$][\w$@./:-]{2,79}$/;
/** Brands that look like identifiers. */
const brands = new Set("iPhone iPad iCloud iMac iTunes eBay LinkedIn YouTube PlayStation WhatsApp FaceTime AirPods MacBook McDonald DeepMind SpaceX BuzzFeed DoorDash FedEx JetBrains WordPress PowerPoint OneDrive SharePoint TikTok OnePlus MasterCard".split(" "));

/** How developers name classes, components and types; other names of this form are mostly brands and people. */
const codeSuffix =
  /(?:Service|Controller|Repository|Manager|Handler|Provider|Factory|Client|Server|Store|Component|Hook|Context|Config|Options|Schema|Model|View|Page|Panel|List|Item|Button|Form|Modal|Dialog|Module|Utils?|Helper|Adapter|Middleware|Router|Route|Queue|Worker|Job|Event|Message|Request|Response|Builder|Parser|Index|Cache|Session|Token|Key|Id|Type|Props|State|Reducer|Action|Object|Map|Set|Array|Test|Spec|Layout|Screen|Plugin|Loader|Stream|Reader|Writer|Buffer|Pool|Gateway|Engine|Registry|Resolver|Guard|Validator|Serializer|Listener|Observer|Iterator|Node|Tree|Table|Row|Column|Field|Input|Output|Result|Outcome|Entity|Record|Dto|DTO|Api|API|Impl|Base|Interface|Enum|Card|Header|Footer|Sidebar|Menu|Nav|Grid|Chart|Editor|Viewer|Wrapper|Container|Command|Query|Policy|Rule|Task|Runner|Scheduler|Pipeline|Stage|Step|Flow|Machine|Driver|Connection|Transport|Endpoint|Filter|Mapper|Converter|Formatter|Logger|Monitor|Tracker|Counter|Timer|Clock|Lock|Mutex)s?$/;

/** The code, file, address, error or ticket that a word names, judged by its form. Words are short, so each test is quick. */
export function codeName({ word, quoted }: Token): CodeName | undefined {
  // Most words are plain ones; they need not be held against all that follows.
  if (word.length < 2 || word.length > 120 || /^[\d.,:%-]+$|^[A-Za-z]?[a-z]+$/.test(word)) return bareFiles.has(word) ? { name: word, type: "file", confidence: 0.9 } : undefined;
  const url = urlName(word);
  if (url !== undefined) return url === "" ? undefined : { name: url, type: "url", confidence: 0.95 };
  if (word.includes("@") && !word.startsWith("@") && !packageVersion.test(word)) return undefined;
  const versioned = packageVersion.exec(word);
  if (versioned) return { name: versioned[1] as string, type: "package", confidence: 0.95, versionOf: `${versioned[1]}@${versioned[2]}` };
  if (scopedPackage.test(word)) return { name: word, type: "package", confidence: 0.9 };
  const fileName = pathName(word);
  if (fileName !== undefined) return { name: fileName, type: "file", confidence: 0.9 };
  if (errno.has(word) || errorCode.test(word)) return { name: word, type: "error", confidence: 0.95 };
  if (ticket.test(word)) return notTickets.has(word.slice(0, word.indexOf("-"))) ? undefined : { name: word, type: "ticket", confidence: 0.9 };
  if (uuidOrHash.test(word)) return undefined;
  if (brands.has(word)) return { name: word, type: "organization", confidence: 0.7 };
  if (host.test(word)) return { name: word, type: "url", confidence: 0.8 };
  return identifier(word, quoted);
}

function identifier(word: string, quoted: boolean): CodeName | undefined {
  if (call.test(word)) return { name: word.slice(0, -2), type: "code", confidence: 0.95 };
  if ((pascal.test(word) || acronymPascal.test(word)) && /(?:Error|Exception|Warning)$/.test(word)) return { name: word, type: "error", confidence: 0.9 };
  if (dotted.test(word)) {
    // Without a sign of code it is a key, an abbreviation or a missing space.
    return quoted || /[a-z][A-Z]|[_$]|\.[A-Z][a-z]+\.|^[A-Z][a-z]+\.[a-z]+[A-Z]?/.test(word) ? { name: word, type: "code", confidence: quoted ? 0.9 : 0.8 } : undefined;
  }
  if (snake.test(word) || camel.test(word)) return { name: word, type: "code", confidence: 0.9 };
  if (pascal.test(word) || acronymPascal.test(word)) {
    return quoted || codeSuffix.test(word) || /^(?:Base|Abstract|Use|Default)[A-Z]/.test(word) ? { name: word, type: "code", confidence: quoted ? 0.9 : 0.85 } : { name: word, type: "other", confidence: 0.7 };
  }
  // Quoted prose is no name: only what has the signs of code.
  if (quoted && quotedName.test(word) && /[-_./:$@]|\d/.test(word)) return { name: word, type: "code", confidence: 0.8 };
  return undefined;
}

/** Without what may be secret (userinfo, query) and what does not name the place (fragment); "" for what is no address after all. */
function urlName(word: string): string | undefined {
  if (!/^(?:https?|wss?|ssh|git|postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|s3):\/\//i.test(word)) return undefined;
  try {
    const { protocol, host: authority, pathname } = new URL(word);
    const place = `${authority}${pathname === "/" ? "" : pathname}`;
    return authority === "" ? "" : `${protocol}//${place}`.replace(/\/+$/, "");
  } catch {
    return "";
  }
}

function pathName(word: string): string | undefined {
  const bare = word.replace(/:\d+(?::\d+)?(?:-\d+)?$/, "");
  if (bareFiles.has(bare) || dotFiles.test(bare)) return bare;
  if (file.test(bare) && /[A-Za-z]/.test(bare)) return bare;
  if (!bare.includes("/") || !path.test(bare) || /^[\d./]+$/.test(bare)) return undefined;
  const segments = bare.split("/").filter((segment) => segment !== "" && segment !== "." && segment !== "..");
  if (segments.length === 0) return undefined;
  const placed = /^(?:~|\.{1,2})\//.test(bare) || (bare.startsWith("/") && segments.length > 1) || (roots.has(segments[0] as string) && segments.length > 1);
  return placed || hasExtension.test(bare) ? bare : undefined;
}
