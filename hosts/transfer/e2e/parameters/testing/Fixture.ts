/** The network that shows parameters, the usual question there, and the two ways to ask. */
import { assert } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { toHex } from "viem"
import type { Hex } from "viem"
import { postQuote } from "../../../testing/Client.ts"
import { get } from "../../../testing/Get.ts"
import { keyOf } from "../../../testing/Sponsor.ts"
import { USDC } from "../../../testing/Tokens.ts"
import { sponsor } from "../../scenarios/testing/Sponsoring.ts"
import { startScenarios } from "../../scenarios/testing/Fixture.ts"
import { membersOf } from "./Observe.ts"
import type { Members } from "./Observe.ts"
import type { Ask } from "./Ask.ts"

export type Fixture = Effect.Success<typeof startParameters>

/** A pair whose spread is refused as an impact, for `overridePriceImpact`. */
export const startParameters = startScenarios({ RISK_SPREAD_BPS: "8;USDC/DAI=1500" })

export const fresh = (index: number): Hex => toHex(0x9a_0000_0000 + index, { size: 20 })

export const sponsored = keyOf(sponsor)

/** 100 USDC from alpha to beta, and the other members of the usual question. */
export const usual = (fixture: Fixture): Ask => ({
  user: fixture.user(0),
  originChainId: fixture.chains.alpha.chainId,
  destinationChainId: fixture.chains.beta.chainId,
  originCurrency: USDC.address,
  destinationCurrency: USDC.address,
  amount: "100000000",
  tradeType: "EXACT_INPUT",
  recipient: fresh(1),
  includeProtocolData: true
})

const now = Effect.map(Clock.currentTimeMillis, (milliseconds) => milliseconds / 1000)

const Refusal = Schema.Struct({ errorCode: Schema.String, message: Schema.String })

/** The answer: a quote's members, or those of the refusal. */
export const observe = Effect.fnUntraced(
  function*({ url }: Fixture, asked: Ask, headers: Readonly<Record<string, string>>) {
    const askedAt = yield* now
    const { json, status, text } = yield* postQuote(url, asked, headers)
    if (status === 200) return { refused: undefined, members: membersOf(text, askedAt) }
    const refused = Schema.decodeUnknownSync(Refusal)(json())
    const members: Members = new Map([["status", `${status}`], ["errorCode", refused.errorCode]])
    return { refused, members }
  }
)

const Asked = Schema.Struct({ steps: Schema.Array(Schema.Struct({ requestId: Schema.String })) })

/** The history of a request that was just quoted. */
export const observeHistory = Effect.fnUntraced(
  function*({ url }: Fixture, asked: Ask, headers: Readonly<Record<string, string>>) {
    const askedAt = yield* now
    const quoted = yield* postQuote(url, asked, headers)
    assert.strictEqual(quoted.status, 200, quoted.text)
    const { steps } = Schema.decodeUnknownSync(Asked)(quoted.json())
    return membersOf((yield* get(`${url}/requests?id=${steps[0]?.requestId ?? ""}`)).text, askedAt)
  }
)
