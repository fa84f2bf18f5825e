import { type Random, seeded } from "../bench/zipf.ts";

/**
 * Made-up values for the templates in the texts of the guard's sets. A text says `{{github_pat}}`; a value of that form takes its place, so
 * that no file holds anything that looks like a credential, and another seed gives the same texts with other values. Needs nothing of Node:
 * tests inside workerd use it too.
 */

type Draw = (random: Random) => string;

const digits = "0123456789";
const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const hexDigits = "0123456789abcdef";
const letters = lower + upper;
const alphanumeric = digits + letters;
const urlSafe = `${alphanumeric}-_`;
/** Without what looks alike. */
const base58 = alphanumeric.replaceAll(/[0OIl]/g, "");

const below = (random: Random, count: number): number => Math.floor(random() * count);
const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const of = (alphabet: string, least: number, most = least): Draw => (random) =>
  Array.from({ length: least + below(random, most - least + 1) }, () => alphabet.charAt(below(random, alphabet.length))).join("");
const number = (least: number, most = least): Draw => of(digits, least, most);
const hex = (length: number): Draw => of(hexDigits, length);
const base62 = (least: number, most = least): Draw => of(alphanumeric, least, most);
const base64 = (length: number): Draw => of(`${alphanumeric}+/`, length);
const base64url = (least: number, most = least): Draw => of(urlSafe, least, most);
const oneOf = (...draws: Draw[]): Draw => (random) => pick(random, draws)(random);
const word = (list: readonly string[]): Draw => (random) => pick(random, list);
const mapped = (draw: Draw, change: (value: string) => string): Draw => (random) => change(draw(random));
/** Draws again until the value has a digit and a letter, as a real one nearly always does. */
const mixed = (draw: Draw): Draw => (random) => {
  for (;;) {
    const value = draw(random);
    if (/\d/.test(value) && /[a-z]/i.test(value)) return value;
  }
};

/** A template literal of constant text and draws. */
const form = (parts: TemplateStringsArray, ...draws: Draw[]): Draw => (random) => parts.reduce((text, part, i) => text + (draws[i - 1] as Draw)(random) + part);

const encoded = (text: string): string => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

function lines(body: string, width: number): string {
  return (body.match(new RegExp(`.{1,${width}}`, "g")) ?? []).join("\n");
}

/** A block with a beginning as keys of this kind have it. */
const pem = (label: string, start: string, least: number, most: number, width = 64): Draw => (random) => {
  const body = start + base64(width * (least + below(random, most - least + 1)) - start.length)(random) + base64(22)(random);
  return `-----BEGIN ${label}-----\n${lines(body, width)}==\n-----END ${label}-----`;
};

const englishWords = (
  "anchor autumn badger barrel beacon bishop blanket bramble bridge bucket butter cactus candle canyon carbon castle cedar cherry cloud cobalt " +
  "copper coral cricket crystal dolphin dragon ember falcon feather forest garden ginger glacier granite hammer harbor harvest hazel helmet hornet island " +
  "jacket jungle kettle ladder lantern lemon lizard magnet maple marble meadow mirror monkey mustard nectar needle ocean orange orchid otter oyster paddle " +
  "pepper pickle pigeon pillow planet pocket pumpkin puzzle rabbit raven ribbon river rocket saddle salmon shadow silver spider sunset swordfish teapot " +
  "thunder tiger timber tunnel turtle velvet violin walnut whisker willow window winter wombat yellow zebra"
).split(" ");
const germanWords = (
  "Apfelbaum Bergsee Birke Buchfink Dampfer Eichhorn Erdbeere Fahrrad Federball Gewitter Hafen Herbst Kastanie Kirsche Klavier Laterne Leuchtturm Mittwoch " +
  "Nebel Nordsee Papagei Regenbogen Schmetterling Schnecke Sommer Sonnenblume Teekanne Waldweg Winter Zitrone"
).split(" ");
const umlautWords = "Bücherwurm Gänseblümchen Frühstück Königin Löwenzahn Möwe Müsli Nüsse Öltanker Schlüsselbund Süßkartoffel Übermut Hängebrücke Grünkohl Käsekuchen".split(" ");
const frenchWords = "abricot baleine cerise chaussette fenêtre fromage grenouille horloge lumière montagne papillon parapluie rivière soleil tortue".split(" ");
const spanishWords = "abeja camino cereza estrella guitarra lagarto limonada manzana montaña naranja paraguas pimiento ratón tormenta ventana".split(" ");
const pinyin = "beijing chuntian dahai fengye gaoshan hongdou huanghe jiaozi laohu mogu nihao pingguo qingdao shanghai tiantian wangcai xiaomao xigua yueliang zhongguo".split(" ");
const romaji = "asagao fuji hanabi hotaru kaeru kitsune komorebi kuma matcha momiji neko onigiri sakura sensei suzume taiyaki tanuki tsubame umi yuki".split(" ");
const seedWords = (
  "abandon acoustic agent amazing apology arrow aspect balcony banner beach blossom border bright cabin canvas carpet census cinnamon cluster copper cradle " +
  "cruise dawn decade defense digital dolphin dragon eager effort elder embark enable exotic fabric fatigue fiber flavor forum fragile galaxy garment gesture " +
  "glimpse gravity habit hazard hockey hybrid impulse insect ivory jaguar kidney kiwi ladder legend lunar mango maximum mimic monkey myself nephew noble oblige " +
  "orbit oxygen parade pelican pistol potato pudding quantum rabbit rebel ridge robust saddle scatter shiver slogan spatial sudden tackle tornado trophy uncover " +
  "utility velvet village vivid waffle whisper wisdom wrestle yellow zebra"
).split(" ");

const english = word(englishWords);
const german = word(germanWords);
const year = form`20${of("12", 1)}${number(1)}`;
const mark = of("!?*#+-_", 1);
const symbols = "!#%&*?+=-_@";

const leet = (value: string): string => value.replaceAll("a", "4").replaceAll("e", "3").replaceAll("o", "0").replaceAll("i", "1");
const times = (count: number, draw: Draw, between: string): Draw => (random) => Array.from({ length: count }, () => draw(random)).join(between);
/** Letters of both cases, digits and signs, each at least once; neither end is a sign that a sentence could own. */
const randomPassword = (least: number, most: number): Draw => (random) => {
  for (;;) {
    const value = base62(1)(random) + of(alphanumeric + symbols, least - 2, most - 2)(random) + base62(1)(random);
    if (/\d/.test(value) && /[a-z]/.test(value) && /[A-Z]/.test(value) && /[^a-z\d]/i.test(value)) return value;
  }
};
const wordPassword = (words: Draw): Draw =>
  oneOf(
    form`${mapped(words, capital)}${year}${mark}`,
    form`${words}${number(2, 4)}`,
    form`${mapped(words, capital)}${mark}${number(2, 4)}`,
    form`${number(2)}${mapped(words, capital)}${mapped(words, capital)}`,
    mixed(mapped(form`${mapped(words, capital)}${mapped(words, capital)}${number(1)}`, leet)),
  );
const urlPassword = oneOf(mixed(base62(12, 24)), form`${english}${number(3)}%${of("24", 1)}${of("01", 1)}${base62(4)}`, mixed(base64url(16, 20)), form`${mapped(english, capital)}${year}`);

const jwt = (claims: (random: Random) => object): Draw => (random) =>
  `${encoded(JSON.stringify({ alg: "HS256", typ: "JWT" }))}.${encoded(JSON.stringify(claims(random)))}.${base64url(43)(random)}`;
const lifetime = (random: Random): { iat: number; exp: number } => {
  const iat = 1_700_000_000 + below(random, 90_000_000);
  return { iat, exp: iat + 315_360_000 };
};
const uuid = form`${hex(8)}-${hex(4)}-4${hex(3)}-${of("89ab", 1)}${hex(3)}-${hex(12)}`;
const dashed = (alphabet: string, groups: number, width: number): Draw => times(groups, of(alphabet, width), "-");
const plainAlphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const pkcs8Start = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQ";

/** Each of these must be found. */
const secretDraws = {
  aws_access_key: form`AKIA${of(`${upper}234567`, 16)}`,
  aws_temporary_key: form`ASIA${of(`${upper}234567`, 16)}`,
  aws_secret_key: mixed(base64(40)),
  aws_session_token: form`IQoJb3JpZ2luX2Vj${base64(240)}==`,
  github_pat: form`ghp_${base62(36)}`,
  github_oauth: form`gho_${base62(36)}`,
  github_app: form`ghs_${base62(36)}`,
  github_fine_grained: form`github_pat_${base62(22)}_${base62(59)}`,
  gitlab_pat: form`glpat-${base64url(20)}`,
  gitlab_runner: form`glrt-${base64url(20)}`,
  gitlab_deploy: form`gldt-${base64url(20)}`,
  bitbucket_app_password: form`ATBB${base62(32)}`,
  atlassian_token: form`ATATT3xFfGF0${base64url(171)}=${of("0123456789ABCDEF", 8)}`,
  slack_bot: form`xoxb-${number(12)}-${number(13)}-${base62(24)}`,
  slack_user: form`xoxp-${number(12)}-${number(12)}-${number(13)}-${hex(32)}`,
  slack_app: form`xapp-1-A${of(upper + digits, 10)}-${number(13)}-${hex(64)}`,
  slack_webhook: form`https://hooks.slack.com/services/T${of(upper + digits, 10)}/B${of(upper + digits, 10)}/${base62(24)}`,
  discord_webhook: form`https://discord.com/api/webhooks/1${number(18)}/${base64url(68)}`,
  discord_bot: form`MT${base62(24)}.G${base64url(5)}.${base64url(38)}`,
  telegram_bot: form`${number(10)}:AA${base64url(33)}`,
  stripe_live: form`sk_live_${oneOf(base62(24), base62(99))}`,
  stripe_restricted: form`rk_live_${base62(99)}`,
  stripe_webhook: form`whsec_${base62(32)}`,
  openai_old: form`sk-${base62(20)}T3BlbkFJ${base62(20)}`,
  openai_project: form`sk-proj-${base64url(74)}T3BlbkFJ${base64url(73)}A`,
  anthropic_key: form`sk-ant-api03-${base64url(93)}AA`,
  openrouter_key: form`sk-or-v1-${hex(64)}`,
  groq_key: form`gsk_${base62(52)}`,
  replicate_token: form`r8_${base62(37)}`,
  huggingface_token: form`hf_${of(letters, 34)}`,
  google_api_key: form`AIza${base64url(34)}${base62(1)}`,
  google_oauth_secret: form`GOCSPX-${base64url(27)}${base62(1)}`,
  azure_storage_key: form`${base64(86)}==`,
  azure_client_secret: form`${base62(3)}8Q~${of(`${alphanumeric}._~-`, 33)}${base62(1)}`,
  azure_sas_signature: form`${base62(40)}%2B${base62(1)}%3D`,
  twilio_auth_token: hex(32),
  sendgrid_key: form`SG.${base64url(22)}.${base64url(42)}${base62(1)}`,
  mailgun_key: oneOf(form`key-${hex(32)}`, form`${hex(32)}-${hex(8)}-${hex(8)}`),
  mailchimp_key: form`${hex(32)}-us${number(2)}`,
  npm_token: form`npm_${base62(36)}`,
  pypi_token: form`pypi-AgEIcHlwaS5vcmc${base64url(150)}${base62(2)}`,
  rubygems_key: form`rubygems_${hex(48)}`,
  crates_token: form`cio${base62(32)}`,
  nuget_key: form`oy2${of(lower + digits, 43)}`,
  docker_hub_token: form`dckr_pat_${base64url(26)}${base62(1)}`,
  digitalocean_token: form`dop_v1_${hex(64)}`,
  cloudflare_token: mixed(form`${base62(1)}${base64url(38)}${base62(1)}`),
  cloudflare_global_key: hex(37),
  hetzner_token: base62(64),
  heroku_key: form`HRKU-${uuid}`,
  netlify_token: form`nfp_${base62(36)}`,
  vercel_token: mixed(base62(24)),
  fly_token: form`FlyV1 fm2_lJPE${base64(120)}`,
  planetscale_token: form`pscale_tkn_${base64url(42)}${base62(1)}`,
  terraform_token: form`${base62(14)}.atlasv1.${base64url(66)}${base62(1)}`,
  pulumi_token: form`pul-${hex(40)}`,
  vault_token: form`hvs.${oneOf(base62(24), form`CAESI${base64url(88)}`)}`,
  doppler_token: form`dp.st.prd.${base62(43)}`,
  databricks_token: form`dapi${hex(32)}`,
  datadog_api_key: hex(32),
  datadog_app_key: hex(40),
  grafana_token: form`glsa_${base62(32)}_${hex(8)}`,
  newrelic_key: form`NRAK-${of(upper + digits, 27)}`,
  sentry_token: form`sntryu_${hex(64)}`,
  pagerduty_key: mixed(form`u+${base64url(17)}${base62(1)}`),
  sonar_token: form`squ_${hex(40)}`,
  shopify_token: form`shpat_${hex(32)}`,
  square_token: form`EAAA${base64url(59)}${base62(1)}`,
  plaid_token: form`access-production-${uuid}`,
  airtable_token: form`pat${base62(14)}.${hex(64)}`,
  notion_token: oneOf(form`ntn_${base62(46)}`, form`secret_${base62(43)}`),
  linear_key: form`lin_api_${base62(40)}`,
  asana_token: form`2/${number(16)}/${number(16)}:${hex(32)}`,
  figma_token: form`figd_${base64url(39)}${base62(1)}`,
  postman_key: form`PMAK-${hex(24)}-${hex(34)}`,
  okta_token: form`00${base64url(39)}${base62(1)}`,
  tailscale_key: form`tskey-auth-k${base62(11)}CNTRL-${base62(32)}`,
  supabase_secret: form`sb_secret_${base64url(22)}_${base62(8)}`,
  supabase_service_role: jwt((random) => ({ iss: "supabase", ref: of(lower, 20)(random), role: "service_role", ...lifetime(random) })),
  jwt: jwt((random) => ({ sub: `${pick(random, englishWords)}@example.com`, scope: "read write", ...lifetime(random) })),
  mapbox_secret: form`sk.eyJ1I${base62(60)}.${base64url(21)}${base62(1)}`,
  age_key: form`AGE-SECRET-KEY-1${of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`,
  rsa_private_key: pem("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 13, 25),
  ec_private_key: pem("EC PRIVATE KEY", "MHcCAQEEI", 2, 3),
  pkcs8_private_key: pem("PRIVATE KEY", pkcs8Start, 14, 26),
  openssh_private_key: pem("OPENSSH PRIVATE KEY", "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAA", 5, 36, 70),
  pgp_private_key: pem("PGP PRIVATE KEY BLOCK", "lQOYBG", 12, 20),
  private_key_escaped: mapped(pem("PRIVATE KEY", pkcs8Start, 14, 26), (block) => `${block}\n`.replaceAll("\n", "\\n")),
  hex_key_32: hex(32),
  hex_key_64: hex(64),
  base64_key_32: form`${base64(43)}=`,
  opaque_token: mixed(base62(32, 48)),
  basic_credentials: (random) => btoa(`${pick(random, ["deploy", "admin", "ci-bot", "svc-report"])}:${randomPassword(10, 16)(random)}`),
  url_password: urlPassword,
  random_password: randomPassword(10, 20),
  short_random_password: randomPassword(8, 9),
  word_password: wordPassword(english),
  plain_word_password: english,
  passphrase: oneOf(times(4, english, "-"), times(4, english, "."), form`${times(3, mapped(english, capital), "-")}-${number(2)}`),
  spaced_passphrase: oneOf(times(4, english, " "), times(5, english, " ")),
  german_password: wordPassword(german),
  umlaut_password: oneOf(form`${word(umlautWords)}${number(2, 4)}`, form`${word(umlautWords)}-${german}-${number(2)}`, form`${word(umlautWords)}${mark}${year}`),
  french_password: wordPassword(word(frenchWords)),
  spanish_password: wordPassword(word(spanishWords)),
  pinyin_password: oneOf(form`${word(pinyin)}${number(3, 6)}`, form`${mapped(word(pinyin), capital)}@${number(4)}`, form`${word(pinyin)}_${word(pinyin)}${number(2)}`),
  romaji_password: oneOf(form`${word(romaji)}${number(3, 4)}`, form`${word(romaji)}-${word(romaji)}-${number(2)}`, form`${mapped(word(romaji), capital)}#${number(4)}`),
  pin_4: number(4),
  pin_6: number(6),
  door_code: form`${number(4)}${of("#*", 1)}`,
  wifi_key: oneOf(number(20), times(5, number(4), " "), of(plainAlphabet, 16)),
  seed_phrase: times(12, word(seedWords), " "),
  recovery_code: oneOf(form`${of(lower + digits, 5)}-${of(lower + digits, 5)}`, form`${hex(4)}-${hex(4)}-${hex(4)}`, form`${number(4)} ${number(4)}`),
  totp_secret: of(`${upper}234567`, 32),
  license_key: dashed(plainAlphabet, 5, 5),
  mistral_key: mixed(base62(32)),
  deepseek_key: form`sk-${hex(32)}`,
  elevenlabs_key: form`sk_${hex(48)}`,
  langsmith_key: form`lsv2_pt_${hex(32)}_${hex(10)}`,
  pinecone_key: form`pcsk_${base62(6)}_${base62(63)}`,
  resend_key: form`re_${base62(8)}_${base62(24)}`,
  brevo_key: form`xkeysib-${hex(64)}-${base62(16)}`,
  hubspot_token: form`pat-na1-${uuid}`,
  launchdarkly_key: form`sdk-${uuid}`,
  buildkite_token: form`bkua_${hex(40)}`,
  circleci_token: form`CCIPAT_${base62(22)}_${hex(40)}`,
  dynatrace_token: form`dt0c01.${of(`${upper}234567`, 24)}.${of(`${upper}234567`, 64)}`,
  contentful_token: form`CFPAT-${base64url(42)}${base62(1)}`,
  braintree_token: form`access_token$production$${of(lower + digits, 16)}$${hex(32)}`,
  easypost_key: form`EZAK${base62(54)}`,
  ngrok_token: form`2${base62(26)}_${base62(21)}`,
  eth_private_key: form`0x${hex(64)}`,
  bitcoin_wif: form`${of("KL", 1)}${of(base58, 51)}`,
  bip32_xprv: form`xprv9s21ZrQH143K${of(base58, 95)}`,
  azure_devops_pat: form`${base62(76)}AZDO${base62(4)}`,
  artifactory_key: form`AKCp${base62(69)}`,
  apple_app_password: times(4, of(lower, 4), "-"),
  gmail_app_password: times(4, of(lower, 4), " "),
  dingtalk_webhook: form`https://oapi.dingtalk.com/robot/send?access_token=${hex(64)}`,
  wecom_webhook: form`https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=${uuid}`,
  deepl_key: form`${uuid}:fx`,
  wandb_key: hex(40),
  alibaba_key: form`LTAI5t${base62(18)}`,
  aliyun_secret: mixed(base62(30)),
  kube_secret_value: (random) => btoa(randomPassword(12, 20)(random)),
  kube_client_key: (random) => btoa(pem("EC PRIVATE KEY", "MHcCAQEEI", 2, 3)(random)),
  bitlocker_key: dashed(digits, 8, 6),
  puk_8: number(8),
  safe_combination: oneOf(times(3, number(2), "-"), times(4, number(2), " ")),
  mixed_password: oneOf(randomPassword(9, 16), mixed(base62(12, 18)), wordPassword(english)),
  german_plain_word: oneOf(german, word(umlautWords)),
  french_plain_word: word(frenchWords),
  spanish_plain_word: word(spanishWords),
  two_words: times(2, english, " "),
  name_password: form`${word(["Lina", "Tom", "Mateo", "Yuki", "Anouk", "Jonas"])}${of("&+!_.", 1)}${word(["Ida", "Max", "Lucia", "Rosa", "Finn"])}${number(2, 4)}`,
  keyboard_password: form`${word(["qwertz", "asdfgh", "Passw0rd", "1q2w3e4r", "letmein"])}${number(1, 3)}${mark}`,
  pin_5: number(5),
  spoken_pin: times(4, word(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "zero"]), " "),
  session_id: mixed(of(lower + digits, 26)),
  teams_webhook: form`https://heron.webhook.office.com/webhookb2/${uuid}@${uuid}/IncomingWebhook/${hex(32)}/${uuid}`,
} satisfies Record<string, Draw>;

/** These look like credentials and are none. */
const harmlessDraws = {
  aws_example_key: form`AKIA${() => "IOSFODNN7"}EXAMPLE`,
  aws_example_secret: form`wJalrXUtnFEMI/K7MDENG/${() => "bPxRfiCY"}EXAMPLEKEY`,
  git_sha: hex(40),
  short_sha: mixed(hex(8)),
  md5: hex(32),
  sha256: hex(64),
  image_digest: form`sha256:${hex(64)}`,
  integrity: form`sha512-${base64(86)}==`,
  go_sum: form`h1:${base64(43)}=`,
  uuid,
  ulid: form`01${of("0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24)}`,
  object_id: hex(24),
  trace_id: hex(32),
  traceparent: form`00-${hex(32)}-${hex(16)}-01`,
  etag: form`"${hex(32)}"`,
  png: form`data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA${base64(180)}=`,
  svg_path: form`M${number(2)}.${number(2)} ${number(1)}.${number(1)}c-.${number(2)}-${number(1)}.${number(2)}-${number(1)}.${number(1)} 0-${number(2)}.${number(1)}z`,
  ssh_public_key: form`ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${base64(43)}`,
  ssh_fingerprint: form`SHA256:${base64(43)}`,
  certificate: pem("CERTIFICATE", "MIID", 12, 18),
  public_key: pem("PUBLIC KEY", "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA", 5, 6),
  pgp_public_key: pem("PGP PUBLIC KEY BLOCK", "mQENBG", 8, 12),
  pgp_fingerprint: times(10, of("0123456789ABCDEF", 4), " "),
  age_recipient: form`age1${of("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58)}`,
  jwk_modulus: form`${base64url(341)}Q`,
  ec2_instance: form`i-0${hex(16)}`,
  aws_resource: form`${word(["vpc", "subnet", "sg", "vol", "ami", "eni"])}-0${hex(16)}`,
  aws_account: number(12),
  stripe_object: form`${word(["cus", "pi", "price", "prod", "sub", "in"])}_${base62(24)}`,
  stripe_publishable: form`pk_live_${base62(24)}`,
  google_client_id: form`${number(12)}-${of(lower + digits, 32)}.apps.googleusercontent.com`,
  google_document: form`1${base64url(43)}`,
  slack_channel: form`C0${of(upper + digits, 9)}`,
  figma_file: base62(22),
  ups_number: form`1Z${of(upper + digits, 6)}${number(10)}`,
  dhl_number: form`JJD${number(18)}`,
  order_number: form`${number(3)}-${number(7)}-${number(7)}`,
  isbn: form`978-3-${number(2)}-${number(6)}-${number(1)}`,
  serial_number: of(plainAlphabet, 12),
  phone: form`+49 ${number(3)} ${number(7)}`,
  iban: form`DE${number(2)} ${times(4, number(4), " ")} ${number(2)}`,
  onion_hash: of("abcdefghijklmnopqrstuvwxyz234567", 56),
  container_id: hex(12),
  build_id: base64url(21),
  cloudflare_zone: hex(32),
  file_hash_name: form`${word(["index", "vendor", "main", "chunk"])}-${base62(8)}.js`,
} satisfies Record<string, Draw>;

const draws: ReadonlyMap<string, Draw> = new Map(Object.entries({ ...secretDraws, ...harmlessDraws }));

export const secretNames: readonly string[] = Object.keys(secretDraws);
export const harmlessNames: readonly string[] = Object.keys(harmlessDraws);

const secrets: ReadonlySet<string> = new Set(secretNames);
/** Lower case and no spaces: `{{ .Values.password }}` and `{{API_KEY}}` are texts like others. */
const template = /\{\{([a-z][a-z0-9_]*)\}\}/g;

export const templatesIn = (text: string): string[] => [...text.matchAll(template)].map((match) => match[1] as string);
export const secretTemplatesIn = (text: string): string[] => [...new Set(templatesIn(text))].filter((name) => secrets.has(name));

export interface Value {
  name: string;
  secret: boolean;
  /** In the text with values. */
  start: number;
  end: number;
}

export interface Filled {
  text: string;
  values: Value[];
}

/** FNV-1a: entries draw independently of each other, so that a new entry leaves the values of the others alone. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/**
 * The text with a new value for each template, and where the values stand. A value of several lines that begins its line keeps that line's
 * indentation, as a key in YAML does. An unknown template is an error.
 */
export function fill(text: string, seed: number): Filled {
  const random = seeded(seed);
  const values: Value[] = [];
  let filled = "";
  let from = 0;
  for (const match of text.matchAll(template)) {
    const name = match[1] as string;
    const draw = draws.get(name);
    if (draw === undefined) throw new Error(`unknown template {{${name}}}`);
    filled += text.slice(from, match.index);
    from = match.index + match[0].length;
    const indent = /(?:^|\n)([ \t]*)$/.exec(filled)?.[1] ?? "";
    const value = draw(random).replaceAll("\n", `\n${indent}`);
    values.push({ name, secret: secrets.has(name), start: filled.length, end: filled.length + value.length });
    filled += value;
  }
  return { text: filled + text.slice(from), values };
}
