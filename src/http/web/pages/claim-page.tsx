import type { ClaimedSession } from "../../../domain/sessions/claims.ts";
import { qrCodeOf } from "../../../domain/sessions/qr-code.ts";
import { Instant } from "./instant.tsx";
import { ToAccount } from "./to-account.tsx";

const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

const About = ({ session, counts: { files, searches, decisions, tasks } }: ClaimedSession) => (
  <ul class="cards">
    <li>
      <p>
        <strong>{session.project}</strong>, last used with {session.tool}
      </p>
      <p>
        {[counted(files, "file"), counted(searches, "search", "searches"), counted(decisions, "decision"), counted(tasks, "task")].join(", ")}
      </p>
      <p class="aside">
        Begun <Instant at={session.createdAt} /> with {session.originalTool}, last used <Instant at={session.activeAt} />
      </p>
    </li>
  </ul>
);

const Picture = ({ of }: { of: string }) => {
  const { size, path } = qrCodeOf(of);
  return (
    <svg viewBox={`0 0 ${size} ${size}`} width="200" height="200" role="img" aria-label="QR code of this link" shape-rendering="crispEdges">
      <path fill="#fff" d={`M0 0h${size}v${size}H0z`} />
      <path stroke="#000" d={path} />
    </svg>
  );
};

/** Opening a link shows this page and does nothing else: programs that look ahead at links must not use them up. */
export const ClaimPage = ({ claimed, person, link }: { claimed: ClaimedSession; person: string; link: string }) => (
  <>
    <h1>Go on with this session</h1>
    <About {...claimed} />
    <form method="post" action={new URL(link).pathname}>
      <button type="submit" class="main">
        Take the session
      </button>
    </form>
    <p>On another device, scan this instead:</p>
    <Picture of={link} />
    <p class="aside">You are signed in as {person}. The link works once, and for ten minutes after it was made.</p>
    <ToAccount />
  </>
);

/** The one time that the link is followed. */
export const ClaimedPage = ({ claimed, passport }: { claimed: ClaimedSession; passport: string }) => (
  <>
    <h1>Your session is ready</h1>
    <About {...claimed} />
    <p>In the tool where you go on, say:</p>
    <p>
      <code>Restore my OmniMemory session {claimed.session.id} with omn_restore_session.</code>
    </p>
    <p>For a tool that is not connected to this account, or another OmniMemory server:</p>
    <p>
      <a href={`data:application/json;charset=utf-8,${encodeURIComponent(passport)}`} download={`${claimed.session.id}.json`}>
        Download the Memory Passport
      </a>
    </p>
    <p class="aside">Whoever has the passport can read what it says of the session. The link is used up.</p>
    <ToAccount />
  </>
);
