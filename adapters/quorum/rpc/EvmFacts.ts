/**
 * Reads from one EVM node the facts that a chain's configuration is checked against, in batches: code, answers of
 * contracts, decimals and symbols of tokens, all at the head.
 *
 * SECURITY: a call that the node executed and that failed is an answer ("no answer" of the contract). Every other
 * refusal is the node's own problem, and says nothing about the contract.
 */
import { Effect, Schema } from "effect"
import { decodeAbiParameters, hexToString, toFunctionSelector } from "viem/utils"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { CODE, DELEGATED, NO_ANSWER, NO_CODE, NO_TOKEN } from "../../../src/domain/configuration/Expectation.ts"
import type { Ask, ContractCall } from "../../../src/domain/configuration/Expectation.ts"
import type { ReadFault } from "../ReadFault.ts"
import type { AnsweringRpc } from "./JsonRpc.ts"
import type { RpcAnswer, RpcCall } from "./JsonRpcPool.ts"

/** How a family spells its accounts, and their 20 bytes as contracts and nodes know them: 40 lower-case hex digits. */
export interface Spelling {
  readonly digitsOf: (account: string) => string
  readonly accountOf: (digits: string) => string
}

/** The most calls in one request. Public nodes refuse long batches. */
const BATCH = 25

/** Many times what any of the getters needs. A hostile contract may try to use more. */
const GAS = "0x4c4b40"

const ended = Schema.Struct({ code: Schema.optionalKey(Schema.Number), message: Schema.String })
const decodeError = Schema.decodeUnknownExit(ended)
const EXECUTION_REVERTED = 3
const ENDED_BADLY = /revert|opcode|out of gas|stack (?:under|over)flow|invalid jump|^evm error/iu

/** The hex that a call returned. Undefined when the contract failed it. */
const resultOf = ({ error, result }: RpcAnswer): Effect.Effect<string | undefined, ReadFault> => {
  if (typeof result === "string" && /^0x[0-9a-f]*$/iu.test(result)) return Effect.succeed(result.toLowerCase())
  const refusal = decodeError(error)
  return refusal._tag === "Success" &&
      (refusal.value.code === EXECUTION_REVERTED || ENDED_BADLY.test(refusal.value.message))
    ? Effect.succeed(undefined)
    : Effect.fail("refused")
}

const word = (digits: string): string => digits.padStart(64, "0")

const calldataOf = ({ digitsOf }: Spelling, { argument, signature }: ContractCall): string => {
  const selector = toFunctionSelector(`function ${signature}`)
  if (signature.endsWith("()")) return selector
  return `${selector}${word(argument === undefined ? "" : digitsOf(argument))}`
}

const callOf = (spelling: Spelling, asked: Ask): RpcCall => {
  if (asked._tag === "Network") return { method: "eth_chainId", params: [] }
  const to = `0x${spelling.digitsOf(asked.of)}`
  if (asked._tag === "Code") return { method: "eth_getCode", params: [to, "latest"] }
  const call: ContractCall = asked._tag === "Call"
    ? asked.call
    : { signature: asked._tag === "Symbol" ? "symbol()" : "decimals()", returns: "bool" }
  return { method: "eth_call", params: [{ to, data: calldataOf(spelling, call), gas: GAS }, "latest"] }
}

const codeIn = (hex: string): string =>
  hex === "0x" ? NO_CODE : hex.startsWith("0xef0100") && hex.length === 48 ? DELEGATED : CODE

const valueIn = ({ accountOf }: Spelling, { returns }: ContractCall, hex: string): string => {
  if (!/^0x[0-9a-f]{64}$/u.test(hex)) return NO_ANSWER
  if (returns === "address") return /^0x0{24}/u.test(hex) ? accountOf(hex.slice(26)) : NO_ANSWER
  const value = BigInt(hex)
  return value > 1n ? NO_ANSWER : value === 1n ? "true" : "false"
}

const decimalsIn = (hex: string): string => /^0x0{62}[0-9a-f]{2}$/u.test(hex) ? BigInt(hex).toString() : NO_TOKEN

/** Some tokens return 32 bytes in place of a string. */
const symbolIn = (hex: string): string => {
  try {
    return hex.length === 66
      ? hexToString(`0x${hex.slice(2).replace(/(?:00)+$/u, "")}`)
      : decodeAbiParameters([{ type: "string" }], `0x${hex.slice(2)}`)[0].slice(0, 64)
  } catch {
    return NO_ANSWER
  }
}

const factIn = (spelling: Spelling, asked: Ask, hex: string | undefined): string => {
  if (hex === undefined) return asked._tag === "Decimals" ? NO_TOKEN : NO_ANSWER
  switch (asked._tag) {
    case "Network":
      return hex === "0x" ? NO_ANSWER : BigInt(hex).toString()
    case "Code":
      return codeIn(hex)
    case "Call":
      return valueIn(spelling, asked.call, hex)
    case "Decimals":
      return decimalsIn(hex)
    case "Symbol":
      return symbolIn(hex)
    case "Owner":
    case "AccountMode":
      return NO_ANSWER
  }
}

/** Reads an EVM node, for any family that has one. */
export const readEvm = (spelling: Spelling) =>
  Effect.fnUntraced(
    function*(
      { answers }: AnsweringRpc,
      _chain: Chain,
      asked: ReadonlyArray<Ask>,
      deadline: number
    ): Effect.fn.Return<ReadonlyArray<string>, ReadFault> {
      const facts: Array<string> = []
      for (let from = 0; from < asked.length; from += BATCH) {
        const page = asked.slice(from, from + BATCH)
        const said = yield* answers(page.map((each) => callOf(spelling, each)), deadline)
        for (const [index, each] of page.entries()) {
          const answer = said[index]
          facts.push(factIn(spelling, each, answer === undefined ? undefined : yield* resultOf(answer)))
        }
      }
      return facts
    }
  )
