import { describe, expect, test } from "vitest";
import { partsOf } from "../../../src/domain/recall/question-parts.ts";

describe("a question that holds two or three is asked part by part [D5]", () => {
  test.each([
    ["Which port does staging use and who owns the deploy?", ["Which port does staging use", "who owns the deploy?"]],
    ["What database do we use, and where are the backups kept?", ["What database do we use", "where are the backups kept?"]],
    ["Who leads search, and when is the launch?", ["Who leads search", "when is the launch?"]],
    ["How do I run the tests? And how do I roll back?", ["How do I run the tests", "how do I roll back?"]],
    ["Tell me who owns the deploy and in which region it runs", ["Tell me who owns the deploy", "in which region it runs (owns deploy)"]],
    ["Which css do we use, and do we use eslint?", ["Which css do we use", "do we use eslint?"]],
    ["Who leads search, and when is the launch and where is the plan kept?", ["Who leads search", "when is the launch", "where is the plan kept?"]],
    ["Wo ist das Büro und wann isst das Team?", ["Wo ist das Büro", "wann isst das Team?"]],
    ["Qui dirige la recherche et quand est le lancement ?", ["Qui dirige la recherche", "quand est le lancement ?"]],
    ["¿Qué base usamos y dónde están las copias?", ["¿Qué base usamos", "dónde están las copias?"]],
    ["¿Qué base usamos? ¿Quién lleva el despliegue?", ["¿Qué base usamos", "¿Quién lleva el despliegue?"]],
    ["我们用什么数据库，谁负责移动应用？", ["我们用什么数据库", "谁负责移动应用"]],
  ])("%s", (question, parts) => {
    expect(partsOf(question)).toEqual(parts);
  });

  test.each([
    ["What do we use for feature flags, and who looks after it?", "who looks after it? (feature flags)"],
    ["Welche Datenbank nutzen wir und wer betreut sie?", "wer betreut sie? (datenbank nutzen wir)"],
    ["Which port does staging use and which does production use?", "which does production use? (port staging)"],
    ["Quelle base utilisons-nous et qui s'en occupe vraiment ?", "qui s'en occupe vraiment ? (quelle base utilisons nous)"],
    ["数据库用什么？谁负责？", "谁负责 (数据 据库 库用 用什 什么)"],
  ])("%s: what a part only points to goes with it", (question, last) => {
    expect(partsOf(question)).toEqual([expect.any(String), last]);
  });

  test.each([
    "What do Marta and Jonas work on?", "the build and test commands", "How do search and replace work in the editor?", "postgres backup schedule retention", "staging port, deploy owner", "What is cached, and for how long?",
    "What did we decide and why?", "Who does the designs, and in Figma or Sketch?", "Where and when is the retro?", "Which of our tools are self-hosted and which are not?", "What did Marta, who leads billing, decide?",
    "people who left and who joined last year", "Was macht Jonas und Marta gerade?", "Wann und wo findet das Standup statt?", "Où et quand a lieu la rétrospective ?", "logs y trazas", "数据库和备份", "我们用什么数据库", "", "?", "and who", "? and who",
    "We had an outage. What was it?", `What is it? And who did ${"a lot of things and ".repeat(20)}?`, "Who leads search and who leads ads and who leads maps and who leads mail?",
  ])("%s: is one question", (question) => {
    expect(partsOf(question)).toEqual([question]);
  });
});
