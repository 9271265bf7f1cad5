/** What an adversary does with a deposit address of its own on a chain beside the ledgers: has it made, and reindexed. */
import { Effect } from "effect"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { RequestId } from "../../../src/domain/transfer/RequestId.ts"
import { reindex } from "../flows/addresses/PayAddress.ts"
import { accounts, ADVERSARY, chainIds, native, slugs } from "../Terms.ts"
import type { AnySlug } from "../Terms.ts"
import { addressOf, askUntilQuoted, decodeRequest, gasOf } from "../Users.ts"
import type { Asked, UsersOfRun } from "../Users.ts"

interface World extends Pick<UsersOfRun, "dice" | "tell" | "use"> {
  /** Everybody's quotes. The adversary's are added. */
  readonly asked: Array<Asked>
}

/** `account`: the adversary's on the chain, which gets the refunds. */
export const ownAddressOn = (origin: AnySlug, account: Address, { asked, dice, tell, use }: World) => ({
  /** Asks for an address, for up to twenty dollars. `unitsOf`: smallest units of so many half micro-dollars. */
  ask: Effect.fnUntraced(function*(currency: string, unitsOf: (worth: number) => bigint) {
    const destination = dice.pick(slugs)
    const recipient = accounts[ADVERSARY] ?? ""
    const request = decodeRequest({
      user: account,
      recipient,
      originChainId: chainIds[origin],
      destinationChainId: chainIds[destination],
      originCurrency: currency,
      destinationCurrency: native,
      amount: `${unitsOf(dice.between(1_000_000, 40_000_000))}`,
      tradeType: "EXACT_INPUT",
      useDepositAddress: true,
      strict: dice.chance(0.3),
      refundTo: account,
      includeProtocolData: true
    })
    const quote = yield* askUntilQuoted(use, request, dice)
    const address = quote === undefined ? undefined : addressOf(quote)
    if (quote === undefined || address === undefined) {
      tell("the adversary gets no quote")
      return undefined
    }
    const made = {
      user: ADVERSARY,
      manner: "exact",
      origin,
      destination,
      recipient,
      currencyIn: currency,
      currencyOut: native,
      amountIn: BigInt(quote.details.currencyIn.amount),
      amountOut: BigInt(quote.details.currencyOut.amount),
      gas: gasOf(quote),
      // What is paid to an address names no order. The quote does.
      orderId: quote.protocol?.v2.orderId ?? "",
      requestId: RequestId.make(quote.steps[0]?.requestId ?? ""),
      at: quote.askedAt,
      address,
      isSponsored: false,
      cap: undefined,
      appBps: 0n
    } satisfies Asked
    asked.push(made)
    tell(`the adversary is quoted ${made.amountIn} of ${currency} on ${origin} at ${address}`)
    return made
  }),

  /** So many times at once. */
  reindexOften: (address: Address, times: number) =>
    Effect.forEach(
      Array.from({ length: times }),
      () => reindex(use, { address, origin, isSponsored: false }, origin),
      { concurrency: "unbounded", discard: true }
    ),

  /** Its own address and those of everybody else on the chain. */
  withOthers: (own: Address): readonly [Address, ...ReadonlyArray<Address>] => [
    own,
    ...asked.flatMap((each) => each.origin === origin && each.address !== undefined ? [each.address] : [])
  ]
})
