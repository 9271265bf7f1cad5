/** One parameter of POST /quote, and how its effect is shown. */
import type { Effect } from "effect"
import type { Ask } from "./Ask.ts"
import type { Members } from "./Observe.ts"
import type { Fixture } from "./Fixture.ts"

/** How two questions that differ in the parameter alone are compared. */
export type Shown =
  /** The answers themselves. */
  | { readonly _tag: "Quotes" }
  /** What the history says of the two requests. */
  | { readonly _tag: "History" }
  /** What becomes of them: asked, carried out and looked at. */
  | {
    readonly _tag: "Journey"
    readonly of: (fixture: Fixture, asked: Ask, headers: Readonly<Record<string, string>>) => Effect.Effect<Members>
  }
  /** Refused by name: it has no effect here. */
  | { readonly _tag: "Refused" }
  /** Of Solana origins alone, where the suite shows it: here it is refused by name. */
  | { readonly _tag: "Solana" }

export interface Row {
  readonly parameter: string
  /** Its value in the second question; in the first it is the usual one, or absent. */
  readonly value: (fixture: Fixture) => unknown
  /** What both ask beside the usual. */
  readonly beside?: (fixture: Fixture) => Ask
  /** With the key of a sponsor; without one otherwise. */
  readonly keyed?: boolean
  readonly shown: Shown
  /** The suite that shows what follows from it, from the root. */
  readonly test: string
}
