import { newToken } from "../../../domain/tenancy/web-session.ts";

/** Names a form of one page, which makes one thing however often it is sent. */
export const PageToken = ({ of = newToken() }: { of?: string | undefined }) => <input type="hidden" name="page" value={of} />;
