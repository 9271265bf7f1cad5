/**
 * Quotes and routes of the server, each checked: the quote against the question, the route's instructions before anybody
 * signs them (`CheckRoute`).
 */
import { address } from "@solana/kit"
import { Result, Schema } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../src/domain/chain/Chain.ts"
import { solanaAddresses } from "../../../../src/domain/families/solana/SolanaAddresses.ts"
import { isTokenProgram, tokenAccountOf } from "../../../../src/domain/families/solana/evidence/Programs.ts"
import { WHOLE_BPS, zeroBps } from "../../../../src/domain/money/Bps.ts"
import { minimumOut } from "../../../../src/domain/quote/pricing/Pricing.ts"
import type { RouteWishes, SwapAsk, SwapQuote, SwapTerms } from "../../../../src/domain/swap/SwapQuote.ts"
import type { InstructionRoute } from "../../../../src/domain/swap/UserCall.ts"
import { openAssociated } from "../../rpc/Instructions.ts"
import type { SolanaClient } from "../../rpc/SolanaRpc.ts"
import { readAccounts } from "../../rpc/Tokens.ts"
import type { ShownAccount } from "../../rpc/Tokens.ts"
import { refusalOf, userInstruction } from "./CheckRoute.ts"
import { InstructionsAnswer, QuoteAnswer } from "./JupiterAnswers.ts"
import { ask } from "./JupiterApi.ts"
import type { JupiterServer } from "./JupiterApi.ts"
import { hopsOf, mintsOf } from "./RouteHops.ts"
import { hexDigits } from "../../../../src/domain/encoding/HexDigits.ts"

const decodeQuote = Schema.decodeUnknownOption(QuoteAnswer)
const decodeInstructions = Schema.decodeUnknownOption(InstructionsAnswer)

/** Lamports of a transaction with one signature. Quotes are compared by this and their output. */
const FEE = 5_000n

/**
 * The requests that limit the number of hops. The interface only limits accounts, of which a hop takes four or more,
 * and knows "direct". The hops of each answer are counted anyway, and while there are too many, the next tighter
 * request is made.
 */
const askedFor = (mostHops: number | undefined): ReadonlyArray<string> =>
  mostHops === undefined ? [""] : mostHops === 1
    ? ["&onlyDirectRoutes=true"]
    : [
      "",
      ...[12, 8, 6].map((accounts) => `&maxAccounts=${Math.min(64, accounts * mostHops)}`),
      "&onlyDirectRoutes=true"
    ]

const mintOf = ({ swaps }: Chain, { address: text, isNative }: SwapAsk["from"]): string =>
  isNative ? swaps?.wrapped ?? text : text

const withoutRoute: RouteWishes = { mostHops: undefined, sharedAccounts: false, slippage: zeroBps }

/** False when the quote does not answer the question: another pair, amount or tolerance, a fee, or too many hops. */
const answers = (
  quote: QuoteAnswer,
  { amount, chain, exact, from, to }: SwapAsk,
  { mostHops, slippage }: RouteWishes
): boolean => {
  const { inAmount, inputMint, otherAmountThreshold, outAmount, outputMint, platformFee, slippageBps, swapMode } = quote
  const hops = hopsOf(quote)
  const fee = platformFee?.amount ?? 0n
  if (
    inputMint !== mintOf(chain, from) || outputMint !== mintOf(chain, to) || BigInt(slippageBps) !== slippage ||
    fee !== 0n
  ) return false
  if (hops === undefined || (mostHops !== undefined && hops > mostHops)) return false
  return exact === "in"
    ? swapMode === "ExactIn" && inAmount === amount && otherAmountThreshold >= minimumOut(outAmount, slippage) &&
      outAmount > 0n
    : swapMode === "ExactOut" && outAmount === amount &&
      otherAmountThreshold <= inAmount + (inAmount * slippage) / WHOLE_BPS && inAmount > 0n
}

/** The server's quote. Undefined when it has none, or none that answers the question. Throws `JupiterFault`. */
export const quoteOf = async (
  server: JupiterServer["Service"],
  router: Address,
  asked: SwapAsk
): Promise<SwapQuote | undefined> => {
  const { amount, chain, exact, from, route = withoutRoute, to } = asked
  const query = `inputMint=${mintOf(chain, from)}&outputMint=${
    mintOf(chain, to)
  }&amount=${amount}&slippageBps=${route.slippage}&swapMode=${exact === "in" ? "ExactIn" : "ExactOut"}`
  for (const more of askedFor(route.mostHops)) {
    const said = await ask(server, `/quote?${query}${more}`)
    const decoded = decodeQuote(said)
    if (decoded._tag === "None" || !answers(decoded.value, asked, route)) continue
    const { inAmount, outAmount } = decoded.value
    return {
      source: "jupiter",
      router,
      ask: asked,
      amountIn: inAmount,
      amountOut: outAmount,
      gas: FEE,
      path: { tokens: [], fees: [] },
      said
    }
  }
  return undefined
}

const keysOf = (
  { cleanupInstruction, setupInstructions, swapInstruction }: InstructionsAnswer
): ReadonlyArray<string> => [
  ...new Set(
    [
      ...setupInstructions,
      swapInstruction,
      ...(cleanupInstruction === undefined || cleanupInstruction === null ? [] : [cleanupInstruction])
    ].flatMap(({ accounts }) => accounts.map(({ pubkey }) => pubkey))
  )
]

/** A node answers for this many accounts at once. */
const PAGE = 100

const accountsOf = async (
  client: SolanaClient,
  keys: ReadonlyArray<string>
): Promise<ReadonlyMap<string, ShownAccount>> => {
  const found = new Map<string, ShownAccount>()
  for (let at = 0; at < keys.length; at += PAGE) {
    const page = keys.slice(at, at + PAGE)
    for (const [index, account] of (await readAccounts(client, page.map((key) => address(key)))).entries()) {
      if (account !== undefined) found.set(page[index] ?? "", account)
    }
  }
  return found
}

interface Making {
  readonly server: JupiterServer["Service"]
  readonly client: SolanaClient
  readonly quote: SwapQuote
  readonly terms: SwapTerms
  readonly user: Address
}

/** The route, or why the user must not sign it. Throws `JupiterFault`. */
export const makeRoute = async (
  { client, quote: { amountIn, amountOut, ask: asked, router, said }, server, terms: { limit, recipient }, user }:
    Making
): Promise<InstructionRoute | string> => {
  const quote = decodeQuote(said)
  if (quote._tag === "None") return "it is no quote of this source"
  const { chain, exact, from, route = withoutRoute, to } = asked
  const mintAccounts = await accountsOf(client, [...mintsOf(quote.value)])
  const mints = new Map([...mintAccounts].map(([mint, { owner }]): [string, string] => [mint, owner]))
  if (mints.size !== mintsOf(quote.value).size || [...mints.values()].some((program) => !isTokenProgram(program))) {
    return "it goes through what is no token"
  }
  const accountOf = (owner: string, mint: string) => tokenAccountOf(owner, mint, mints.get(mint) ?? "")
  const [source, own, destination] = [
    accountOf(user, mintOf(chain, from)),
    accountOf(user, mintOf(chain, to)),
    accountOf(recipient, mintOf(chain, to))
  ]
  if (source === undefined || own === undefined || destination === undefined) return "it goes through what is no token"
  const isForeign = recipient !== user
  const answered = decodeInstructions(
    await ask(server, "/swap-instructions", {
      quoteResponse: said,
      userPublicKey: user,
      wrapAndUnwrapSol: from.isNative || to.isNative,
      useSharedAccounts: route.sharedAccounts,
      ...(isForeign ? { destinationTokenAccount: destination } : {})
    })
  )
  if (answered._tag === "None") return "it is no list of instructions"
  const { cleanupInstruction, setupInstructions, swapInstruction } = answered.value
  const [most, least] = exact === "in" ? [amountIn, limit] : [limit, amountOut]
  const refusal = refusalOf(answered.value, {
    user,
    router,
    mints,
    source,
    destination,
    exact,
    most,
    least,
    wrapped: from.isNative ? source : to.isNative ? own : undefined,
    wraps: from.isNative,
    accounts: await accountsOf(client, keysOf(answered.value))
  }, hexDigits(Result.getOrThrow(solanaAddresses.toBytes(user))))
  if (refusal !== undefined) return refusal
  const opened = isForeign
    ? [
      openAssociated(user, {
        account: destination,
        owner: recipient,
        mint: mintOf(chain, to),
        program: mints.get(mintOf(chain, to)) ?? ""
      })
    ]
    : []
  const swap = userInstruction(swapInstruction)
  return {
    _tag: "Instructions",
    instructions: [
      ...opened,
      ...setupInstructions.map(userInstruction),
      swap,
      ...(cleanupInstruction === undefined || cleanupInstruction === null ? [] : [userInstruction(cleanupInstruction)])
    ],
    swap,
    lookupTables: answered.value.addressLookupTableAddresses,
    passes: [...mints].map(([mint, program]) => ({ mint, program })),
    from,
    to,
    recipient,
    exact,
    most,
    least
  }
}
