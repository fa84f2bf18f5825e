import { RequestRefused } from "./request-refused.ts";

/** How much of a body is read, and for how long, before the request is refused. */
export interface BodyBound {
  maxBytes: number;
  withinMs: number;
  /** Asked once, before more than `smallBytes` are kept, for the most that the body can take. @throws RequestRefused */
  reserve?: (bytes: number) => Promise<void>;
}

/** Bodies up to here need no reservation: an isolate can hold thousands of them. */
const smallBytes = 65_536;

const seconds = 1_000;

/** Bounds of the bodies for each kind of endpoint. At most of them nobody has proven who they are, so they are small. */
export const bounds = {
  form: { maxBytes: 16_384, withinMs: 10 * seconds },
  json: { maxBytes: 16_384, withinMs: 10 * seconds },
  /** Hashes of a client's files. */
  hashes: { maxBytes: 65_536, withinMs: 10 * seconds },
  /** 40,000 characters of any alphabet, and their names. */
  conversation: { maxBytes: 131_072, withinMs: 10 * seconds },
  /** What hooks saw somebody do. */
  steps: { maxBytes: 65_536, withinMs: 10 * seconds },
  oauth: { maxBytes: 65_536, withinMs: 10 * seconds },
  registration: { maxBytes: 16_384, withinMs: 10 * seconds },
  passkey: { maxBytes: 65_536, withinMs: 10 * seconds },
} as const satisfies Record<string, BodyBound>;

/**
 * The only place that reads the body of a request (`test/body-reads.test.ts`): counted while it arrives, whether its length
 * was declared or not, and given up when it takes too long. @throws RequestRefused
 */
export async function readBody(request: Request, bound: BodyBound): Promise<Uint8Array> {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    await discardBody(request);
    throw new RequestRefused(415, "Compressed bodies are not accepted: send it without Content-Encoding.");
  }
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > bound.maxBytes) {
    await discardBody(request);
    throw tooLarge(bound);
  }
  if (declared > smallBytes) await reserveFor(request, bound, declared);
  // A declared length frames the body, so that many bytes come and no more; the runtime collects them faster than we can.
  // `request.body` is left alone then: to look at it makes a stream.
  if (declared >= 0) return withBodyTimeout(bound, request.arrayBuffer().then((bytes) => new Uint8Array(bytes)));
  return request.body === null ? new Uint8Array() : readChunks(request.body, bound);
}

/** The body as text. @throws RequestRefused also when it is not UTF-8 */
export async function readText(request: Request, bound: BodyBound): Promise<string> {
  const bytes = await readBody(request, bound);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new RequestRefused(400, "The request body is not valid UTF-8.");
  }
}

/** A body that nobody will read is let go before the answer: the runtime complains of a stream left behind. */
export const discardBody = async (request: Request): Promise<void> => request.body?.cancel().catch(() => undefined);

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

const tooLarge = ({ maxBytes }: BodyBound): RequestRefused =>
  new RequestRefused(413, `Payload Too Large: the request body must not exceed ${maxBytes} bytes.`);

async function reserveFor(request: Request, { reserve }: BodyBound, bytes: number): Promise<void> {
  try {
    await reserve?.(bytes);
  } catch (error) {
    await discardBody(request);
    throw error;
  }
}

async function readChunks(stream: ReadableStream<Uint8Array>, bound: BodyBound): Promise<Uint8Array> {
  const reader = stream.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const collect = async (): Promise<void> => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const before = size;
      size += read.value.byteLength;
      if (size > bound.maxBytes) throw tooLarge(bound);
      if (before <= smallBytes && size > smallBytes) await bound.reserve?.(bound.maxBytes);
      chunks.push(read.value);
    }
  };
  try {
    await withBodyTimeout(bound, collect());
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    throw error;
  }
  return joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

async function withBodyTimeout<T>({ withinMs }: BodyBound, reading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new RequestRefused(408, `The request body did not arrive within ${withinMs / seconds} s.`)), withinMs);
  try {
    return await Promise.race([reading, late.promise]);
  } catch (error) {
    // Whatever else a stream fails of, its sender is gone or sent less than was declared.
    throw error instanceof RequestRefused ? error : new RequestRefused(400, "The request body ended before it was complete.");
  } finally {
    clearTimeout(timer);
  }
}
