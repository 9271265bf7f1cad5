/**
 * The swap sources of EVM chains. All questions for one swap are one call of Multicall3, at one state of one endpoint.
 *
 * A path without a pool fails only its own call. A quote is a price, not evidence: only what the router enforces at
 * execution is relied on, so one endpoint is enough.
 */
import { Effect, Layer, Predicate } from "effect"
import { multicall3Abi } from "viem"
import type { PublicClient } from "viem"
import { SwapSources } from "../../../../ports/chain/SwapSources.ts"
import type { SwapAsk, SwapOffers, SwapQuote } from "../../../../src/domain/swap/SwapQuote.ts"
import type { ChainSwaps, SwapSource } from "../../../../src/domain/swap/SwapSource.ts"
import { EthereumRpc } from "../../rpc/EthereumRpc.ts"
import { multicall3 } from "../../rpc/Multicall3.ts"
import { viemHex } from "../../rpc/ViemHex.ts"
import { gasPerByte, SWAPPED_FILL_BYTES } from "../../pay/StateGas.ts"
import type { Question } from "./Question.ts"
import * as UniswapV2 from "./UniswapV2.ts"
import * as UniswapV3 from "./UniswapV3.ts"

const questionsOf = (ask: SwapAsk, swaps: ChainSwaps, source: SwapSource): ReadonlyArray<Question> => {
  switch (source.id) {
    case "uniswap-v2":
      return UniswapV2.questions(ask, swaps, source)
    case "uniswap-v3":
      return UniswapV3.questions(ask, swaps, source)
    // A source of another family: no chain here has it.
    case "jupiter":
      return []
  }
}

/** Asks again for the path of an existing quote. */
const questionAgain = ({ path }: SwapQuote, ask: SwapAsk, source: SwapSource): Question | undefined => {
  if (source.id === "jupiter") return undefined
  return source.id === "uniswap-v2" ? UniswapV2.question(ask, source, path) : UniswapV3.question(ask, source, path)
}

/** An answer that does not decode gives no quote for that path. An address without such a contract answers nothing. */
const answerOf = ({ quoteOf }: Question, data: `0x${string}`): SwapQuote | undefined => {
  try {
    return quoteOf(data)
  } catch {
    return undefined
  }
}

const readQuotes = async (
  client: PublicClient,
  questions: ReadonlyArray<Question>
): Promise<ReadonlyArray<SwapQuote>> => {
  const answers = await client.readContract({
    abi: multicall3Abi,
    address: viemHex(multicall3),
    functionName: "aggregate3",
    args: [questions.map(({ data, to }) => ({ target: to, allowFailure: true, callData: data }))]
  })
  return questions.map((question, index) => {
    const answer = answers[index]
    return answer?.success === true ? answerOf(question, answer.returnData) : undefined
  }).filter(Predicate.isNotUndefined)
}

const read = async (client: PublicClient, questions: ReadonlyArray<Question>): Promise<SwapOffers> => {
  const [gasPrice, quotes, perByte] = await Promise.all([
    client.getGasPrice(),
    readQuotes(client, questions),
    gasPerByte(client)
  ])
  return { gasPrice, quotes, ...(perByte === 0n ? {} : { stateGas: SWAPPED_FILL_BYTES * perByte }) }
}

const readOne = async (client: PublicClient, question: Question): Promise<SwapQuote | undefined> => {
  const [quote] = await readQuotes(client, [question])
  return quote !== undefined && quote.amountIn > 0n && quote.amountOut > 0n ? quote : undefined
}

export const layer = Layer.effect(
  SwapSources,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc

    const offers: SwapSources["Service"]["offers"] = (ask, sources) => {
      const { swaps } = ask.chain
      const questions = swaps === undefined ? [] : sources.flatMap((source) => questionsOf(ask, swaps, source))
      return questions.length === 0
        ? Effect.succeed({ quotes: [], gasPrice: 0n })
        : rpc.call(ask.chain, "swap quotes", (client) => read(client, questions))
    }

    const again: SwapSources["Service"]["again"] = (quote, ask) => {
      const source = ask.chain.swaps?.sources.find(({ id }) => id === quote.source)
      const question = source === undefined ? undefined : questionAgain(quote, ask, source)
      if (question === undefined) return Effect.succeed(undefined)
      return rpc.call(ask.chain, "swap quote", (client) => readOne(client, question))
    }

    const encode: SwapSources["Service"]["encode"] = (quote, terms) =>
      quote.source === "uniswap-v2" ? UniswapV2.encode(quote, terms) : UniswapV3.encode(quote, terms)

    return SwapSources.of({ offers, again, encode, forUser: (quote, terms) => Effect.succeed(encode(quote, terms)) })
  })
)
