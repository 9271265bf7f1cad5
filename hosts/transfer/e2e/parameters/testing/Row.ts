/** One parameter of POST /quote, and how its effect is shown. */
import type { Effect } from "effect"
import type { Ask } from "./Ask.ts"
import type { Members } from "./Observe.ts"
import type { Fixture } from "./Fixture.ts"

/** How two questions are compared that differ only in the parameter. */
export type Shown =
  /** The answers themselves. */
  | { readonly _tag: "Quotes" }
  /** The history of the two requests. */
  | { readonly _tag: "History" }
  /** Their results after they were executed. */
  | {
    readonly _tag: "Journey"
    readonly of: (fixture: Fixture, asked: Ask, headers: Readonly<Record<string, string>>) => Effect.Effect<Members>
  }
  /** Only for Solana origins, where that suite shows it. Here it is refused by name. */
  | { readonly _tag: "Solana" }
  /** The same for Bitcoin origins. */
  | { readonly _tag: "Bitcoin" }

export interface Row {
  readonly parameter: string
  /** Its value in the second question. The first one has the usual value, or none. */
  readonly value: (fixture: Fixture) => unknown
  /** Changes to the usual question in both. */
  readonly beside?: (fixture: Fixture) => Ask
  /** With a sponsor's key. Default: without. */
  readonly keyed?: boolean
  readonly shown: Shown
  /** The suite that shows its consequences, as a path from the root. */
  readonly test: string
}
