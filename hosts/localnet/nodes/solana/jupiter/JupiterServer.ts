/**
 * A simulation at the wire level: the public Jupiter swap interface (`/swap/v1`) over the pools of the local chain, on
 * the loopback.
 *
 * Supports quotes along one path, ExactIn and ExactOut; instructions with wrapping, shared accounts and a lookup table.
 * Not supported: split routes, platform fees, current priority fees. Clients must check its answers like those of the
 * real server: a test can make it lie.
 */
import { address } from "@solana/kit"
import { Effect, Exit, Schema } from "effect"
import type { Scope } from "effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { SolanaError } from "../SolanaError.ts"
import type { Chain } from "../node/Chain.ts"
import { holding } from "../node/TokenAccount.ts"
import { pools, program } from "../pools/Pools.ts"
import { routeInstructions } from "./RouteInstructions.ts"
import type { Hop } from "./Routes.ts"
import { bestRoute, sidesOf } from "./Routes.ts"

const Digits = Schema.String.check(Schema.isPattern(/^[0-9]{1,20}$/))
const Small = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Flag = Schema.Literals(["true", "false"])

const QuoteQuery = Schema.Struct({
  inputMint: Schema.NonEmptyString,
  outputMint: Schema.NonEmptyString,
  amount: Digits,
  slippageBps: Schema.optionalKey(Small),
  swapMode: Schema.optionalKey(Schema.Literals(["ExactIn", "ExactOut"])),
  onlyDirectRoutes: Schema.optionalKey(Flag),
  maxAccounts: Schema.optionalKey(Small),
  /** Labels, separated by commas. */
  dexes: Schema.optionalKey(Schema.NonEmptyString),
  excludeDexes: Schema.optionalKey(Schema.NonEmptyString)
})

const QuoteAnswer = Schema.Struct({
  inAmount: Digits,
  outAmount: Digits,
  otherAmountThreshold: Digits,
  swapMode: Schema.Literals(["ExactIn", "ExactOut"]),
  slippageBps: Schema.Int,
  routePlan: Schema.Array(Schema.Struct({
    swapInfo: Schema.Struct({ ammKey: Schema.String, inputMint: Schema.String, inAmount: Digits, outAmount: Digits })
  })).check(Schema.isMinLength(1))
})

const InstructionsBody = Schema.fromJsonString(Schema.Struct({
  quoteResponse: QuoteAnswer,
  userPublicKey: Schema.NonEmptyString,
  wrapAndUnwrapSol: Schema.optionalKey(Schema.Boolean),
  useSharedAccounts: Schema.optionalKey(Schema.Boolean),
  destinationTokenAccount: Schema.optionalKey(Schema.NonEmptyString)
}))

/** The request is wrong, according to this server. */
class Refused extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const MOST_HOPS = 4

/** The accounts of a route's instruction: those that every route names, and those that each hop adds. */
const hopsWithin = (accounts: number): number => Math.floor((accounts - 4) / 4)

const labelsOf = (list: string | undefined) => list?.split(",") ?? []

const reservesOf = (chain: Chain) =>
  new Map(
    pools.flatMap(({ sides }) =>
      sides.map(({ vault }) => [vault, holding(chain.read(vault, "confirmed"))?.amount ?? 0n] as const)
    )
  )

const quote = (chain: Chain, query: URLSearchParams) => {
  const decoded = Schema.decodeUnknownExit(QuoteQuery)(Object.fromEntries(query))
  if (Exit.isFailure(decoded)) {
    throw new Refused("INVALID_PARAMETERS", "Query parameter is missing or of the wrong form")
  }
  const {
    amount,
    dexes,
    excludeDexes,
    inputMint,
    maxAccounts = 64,
    onlyDirectRoutes,
    outputMint,
    slippageBps = 50,
    swapMode = "ExactIn"
  } = decoded.value
  const hops = bestRoute(pools, reservesOf(chain), {
    inputMint,
    outputMint,
    amount: BigInt(amount),
    exact: swapMode === "ExactIn" ? "in" : "out",
    mostHops: onlyDirectRoutes === "true" ? 1 : Math.min(MOST_HOPS, hopsWithin(maxAccounts)),
    allows: (label) =>
      !labelsOf(excludeDexes).includes(label) && (dexes === undefined || labelsOf(dexes).includes(label))
  })
  const [first, last] = [hops?.[0], hops?.at(-1)]
  if (hops === undefined || first === undefined || last === undefined) {
    throw new Refused("COULD_NOT_FIND_ANY_ROUTE", "Could not find any route")
  }
  const slip = BigInt(slippageBps)
  const threshold = swapMode === "ExactIn"
    ? (last.amountOut * (10_000n - slip) + 9_999n) / 10_000n
    : (first.amountIn * (10_000n + slip)) / 10_000n
  return {
    inputMint,
    inAmount: `${first.amountIn}`,
    outputMint,
    outAmount: `${last.amountOut}`,
    otherAmountThreshold: `${threshold}`,
    swapMode,
    slippageBps,
    platformFee: null,
    priceImpactPct: "0",
    routePlan: hops.map((hop) => ({
      swapInfo: {
        ammKey: hop.pool.address,
        label: hop.pool.label,
        inputMint: sidesOf(hop).from.mint.address,
        outputMint: sidesOf(hop).to.mint.address,
        inAmount: `${hop.amountIn}`,
        outAmount: `${hop.amountOut}`,
        feeAmount: `${(hop.amountIn * BigInt(hop.pool.fee) + 9_999n) / 10_000n}`,
        feeMint: sidesOf(hop).from.mint.address
      },
      percent: 100
    })),
    contextSlot: chain.ledger.open.slot,
    timeTaken: 0.001
  }
}

const hopOf = ({ swapInfo }: (typeof QuoteAnswer.Type)["routePlan"][number]): Hop => {
  const pool = pools.find(({ address: own }) => own === swapInfo.ammKey)
  if (pool === undefined) throw new Refused("INVALID_REQUEST", "routePlan: unknown ammKey")
  return {
    pool,
    forward: pool.sides[0].mint.address === swapInfo.inputMint,
    amountIn: BigInt(swapInfo.inAmount),
    amountOut: BigInt(swapInfo.outAmount)
  }
}

const instructions = (text: string) => {
  const decoded = Schema.decodeUnknownExit(InstructionsBody)(text)
  if (Exit.isFailure(decoded)) {
    throw new Refused("INVALID_REQUEST", "Failed to deserialize the JSON body into the target type")
  }
  const { destinationTokenAccount, quoteResponse, userPublicKey, useSharedAccounts = true, wrapAndUnwrapSol = true } =
    decoded.value
  const { inAmount, otherAmountThreshold, routePlan, slippageBps, swapMode } = quoteResponse
  return routeInstructions({
    user: address(userPublicKey),
    hops: routePlan.map(hopOf),
    exact: swapMode === "ExactIn" ? "in" : "out",
    slippageBps,
    most: BigInt(swapMode === "ExactIn" ? inAmount : otherAmountThreshold),
    shared: useSharedAccounts,
    wraps: wrapAndUnwrapSol,
    destination: destinationTokenAccount === undefined ? undefined : address(destinationTokenAccount)
  })
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const part of request) {
    const chunk: unknown = part
    if (chunk instanceof Uint8Array) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

const answerTo = async (
  chain: Chain,
  request: IncomingMessage,
  path: string,
  query: URLSearchParams
): Promise<unknown> => {
  if (request.method === "GET" && path === "/swap/v1/quote") return quote(chain, query)
  if (request.method === "POST" && path === "/swap/v1/swap-instructions") return instructions(await bodyOf(request))
  if (request.method === "GET" && path === "/swap/v1/program-id-to-label") return { [program]: "Causeway Pools" }
  return undefined
}

/** Replaces the server's true answer. `undefined` leaves it unchanged. */
export type Lie = (path: string, answer: unknown, headers: IncomingMessage["headers"]) => unknown

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body))
}

const handle = async (
  chain: Chain,
  request: IncomingMessage,
  response: ServerResponse,
  lie: Lie | undefined
): Promise<void> => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost")
  try {
    const answer = await answerTo(chain, request, pathname, searchParams)
    if (answer === undefined) return respond(response, 404, { error: "not found" })
    respond(response, 200, lie?.(pathname, answer, request.headers) ?? answer)
  } catch (error) {
    respond(
      response,
      400,
      error instanceof Refused ? { error: error.message, errorCode: error.code } : { error: "invalid request" }
    )
  }
}

export interface Jupiter {
  /** In the form of `JUPITER_API_URL`. */
  readonly url: string
  readonly setLie: (lie: Lie | undefined) => Effect.Effect<void>
}

/** Answers on that port of the loopback until the scope closes. */
export const start = Effect.fnUntraced(
  function*(chain: Chain, port: number): Effect.fn.Return<Jupiter, SolanaError, Scope.Scope> {
    let lie: Lie | undefined
    const server = createServer((request, response) => void handle(chain, request, response, lie))
    yield* Effect.acquireRelease(
      Effect.callback<void, SolanaError>((resume) => {
        server.once(
          "error",
          () =>
            resume(Effect.fail(new SolanaError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })))
        )
        server.listen(port, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
    return {
      url: `http://127.0.0.1:${port}/swap/v1`,
      setLie: (next) => Effect.sync(() => void (lie = next))
    }
  }
)
