/** The number of pools in a row on a route, counted from the server's answer, whatever limit was requested. Pure. */
import type { QuoteAnswer } from "./JupiterAnswers.ts"

/** The longest path from the input to the output. Undefined for an invalid plan, or one with a cycle. */
export const hopsOf = ({ inputMint, outputMint, routePlan }: QuoteAnswer): number | undefined => {
  const next = Map.groupBy(routePlan, ({ swapInfo }): string => swapInfo.inputMint)
  const longest = (at: string, passed: ReadonlyArray<string>): number | undefined => {
    if (at === outputMint) return passed.length
    if (passed.includes(at)) return undefined
    const ways = (next.get(at) ?? []).map(({ swapInfo }) => longest(swapInfo.outputMint, [...passed, at]))
    const found = ways.filter((length) => length !== undefined)
    return ways.length === 0 || found.length < ways.length ? undefined : Math.max(...found)
  }
  return longest(inputMint, [])
}

/** Every token of a route. */
export const mintsOf = ({ routePlan }: QuoteAnswer): ReadonlySet<string> =>
  new Set(routePlan.flatMap(({ swapInfo }) => [swapInfo.inputMint, swapInfo.outputMint]))
