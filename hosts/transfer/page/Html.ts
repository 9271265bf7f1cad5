/**
 * HTML that is always escaped (SAFE-8): a template's values are text, and text is escaped, unless they are Html.
 *
 * SECURITY: values may be in content or in quoted attributes, never in a script, a style or a bare attribute. `raw` is
 * for the constants of this folder only.
 */
import { visible } from "../../../src/domain/timeline/DisplayText.ts"

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "'": "&#39;",
  "`": "&#96;"
}

export const escape = (text: string): string =>
  visible(text).replaceAll(/[&<>"'`]/gu, (character) => entities[character] ?? "")

type Value = string | number | Html | undefined | ReadonlyArray<Html>

const shown = (value: Value): string => {
  if (value === undefined) return ""
  if (value instanceof Html) return value.text
  return typeof value === "string" || typeof value === "number"
    ? escape(`${value}`)
    : value.map(({ text }) => text).join("")
}

/** A constant text, unescaped. */
export const raw = (text: string): Html => new Html(text)

export const html = (parts: TemplateStringsArray, ...values: ReadonlyArray<Value>): Html =>
  new Html(parts.map((part, index) => `${part}${shown(values[index])}`).join(""))
