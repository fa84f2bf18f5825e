import { describe, expect, test } from "vitest";
import { askedType, heldTypes } from "../../../../src/domain/recall/ranking/answer-types.ts";

const answers = (question: string, text: string): boolean | undefined => {
  const asked = askedType(question);
  return asked === -1 ? undefined : ((heldTypes(text) >>> asked) & 1) === 1;
};

describe("a question that asks for a kind of thing is answered by a text that holds one", () => {
  test.each([
    ["Who reviews the Kotlin PRs?", "Luis reviews them, and Darragh on Fridays", "they are reviewed by two people"],
    ["Where does the team meet?", "we meet in Cork", "we meet twice a week"],
    ["Where do backups go?", "they go to eu-west-1", "they go by night"],
    ["Where does the queue run?", "on queue-2.internal", "on 2 machines"],
    ["How long are backups kept?", "kept for 30 days", "kept as long as we like"],
    ["When is the release?", "it goes out on Thursday", "it goes out with the app"],
    ["How much does a seat cost?", "a seat is €12", "a seat is cheap"],
    ["Which NATS version do we run?", "NATS 2.10 runs in production", "NATS runs in production"],
    ["How many phones are there?", "a box of 14 phones", "a box of phones"],
    ["What is her e-mail address?", "write to solene@example.org", "write to her"],
    ["Wem gehört der Schlüssel?", "der Schlüssel gehört Marta", "er hängt am haken"],
    ["Combien de serveurs avons-nous ?", "nous avons trois serveurs", "nous avons des serveurs"],
    ["¿Cuánto cuesta la licencia?", "la licencia vale 40 euros", "la licencia es nueva"],
    ["备份保留多久？", "备份保留30天", "备份放在柜子里"],
    ["いくらですか", "500円です", "高いです"],
  ])("%s", (question, told, silent) => {
    expect(answers(question, told)).toBe(true);
    expect(answers(question, silent)).toBe(false);
  });

  test("a question that names no kind asks for none", () => {
    for (const question of ["What do we do when the registry is down?", "Tell me about the ferry", "Is the API public?"]) expect(answers(question, "anything")).toBeUndefined();
  });
});
