/** The laws for codecs that are not tested beside their modules. Addresses, transaction ids and withdrawals are. */
import { families } from "../src/domain/families/index.ts"
import { describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../scripts/testing/Tally.ts"
import type { Address } from "../src/domain/chain/Address.ts"
import { Hex, Hex32, Hex32FromString, HexFromString } from "../src/domain/encoding/Hex.ts"
import { type VmFamily, vmFamilies } from "../src/domain/chain/VmFamily.ts"
import { Observation } from "../src/domain/evidence/TransactionEvidence.ts"
import { WithdrawalEvidence } from "../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { decodeExtraData, encodeExtraData } from "../src/domain/order/ExtraData.ts"
import { Order, Uint256FromString } from "../src/domain/order/Order.ts"
import { decodeRouterCall, encodeRouterCall, type RouterCall } from "../src/domain/order/RouterCall.ts"
import { account, hash32, hex, order, uint256 } from "../src/domain/order/testing/Orders.ts"
import { PeerExecution } from "../src/domain/quorum/ExecutionSignature.ts"
import { type Action, decodeAction, encodeAction } from "../src/domain/hub/Action.ts"
import { type Codec, codecLaws } from "./Codec.ts"
import { standInSigner, word } from "./EvidenceChains.ts"
import { anyPlan } from "./EvidencePlans.ts"
import { makeWorld } from "./EvidenceWorld.ts"
import { makeWithdrawalWorld, withdrawalCases } from "./EvidenceWithdrawals.ts"

const isHex = Schema.decodeUnknownResult(Hex)

/** A codec for canonical hex. */
const ofHex = <A>(
  encode: (value: A) => Result.Result<string, unknown>,
  decode: (encoded: Hex) => Result.Result<A, unknown>
): Codec<A> => ({
  encode,
  decode: (text) => Result.flatMap(isHex(text), decode),
  spellings: "one"
})

/** A codec for a schema of plain text. */
const ofText = <A>(schema: Schema.Codec<A, string>): Codec<A> => ({
  encode: Schema.encodeUnknownResult(schema),
  decode: Schema.decodeUnknownResult(schema),
  spellings: "many"
})

/** A codec for a schema in JSON, where spaces and the order of members are free. */
const ofJson = <A, I>(schema: Schema.Codec<A, I>): Codec<A> => {
  const encode = Schema.encodeUnknownResult(schema)
  const decode = Schema.decodeUnknownResult(schema)
  return {
    encode: (value) => Result.map(encode(value), (made) => JSON.stringify(made)),
    decode: (text) => Result.flatMap(Result.try((): unknown => JSON.parse(text)), decode),
    spellings: "many"
  }
}

const evm = account("ethereum-vm")
const token = { tokenId: uint256, amount: uint256 }
const whole = { noNullPrototype: true } as const

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ _tag: fc.constant("Mint" as const), to: evm, ...token }, whole),
  fc.record({ _tag: fc.constant("Burn" as const), from: evm, ...token }, whole),
  fc.record({ _tag: fc.constant("Transfer" as const), from: evm, to: evm, ...token }, whole)
)
const call: fc.Arbitrary<RouterCall> = fc.record({ to: evm, data: hex, value: uint256 }, whole)

const extraData = (family: VmFamily) => {
  const codec = ofHex(
    (router: Address | undefined) => encodeExtraData(families[family], router),
    (text) => decodeExtraData(families[family], text)
  )
  return codecLaws(`extra data of ${family}`, codec, fc.option(account(family), { nil: undefined }))
}

const observation = anyPlan.chain((plan) => fc.constantFrom(...makeWorld(plan, standInSigner(1)).observations))
const withdrawals = withdrawalCases.flatMap(({ spoil }) =>
  vmFamilies.map((family) => spoil(makeWithdrawalWorld(family)).evidence)
)
const peerExecution = fc.record({
  idempotencyKey: hash32,
  actions: fc.array(hex, { maxLength: 3 }),
  signatures: fc.array(
    fc.record({
      oracleChainId: uint256.map(String),
      oracleContract: evm,
      oracleSigner: evm,
      signature: hash32.map((each) => Hex.make(`0x${each.slice(2).repeat(2)}1b`))
    }, whole),
    { maxLength: 3 }
  )
}, whole)

const laws = [
  ...codecLaws("actions", ofHex(encodeAction, decodeAction), action),
  ...codecLaws("router calls", ofHex(encodeRouterCall, decodeRouterCall), call),
  ...extraData("ethereum-vm"),
  ...extraData("tron-vm"),
  ...codecLaws("byte strings", ofText(HexFromString), hex),
  ...codecLaws("32 bytes", ofText(Hex32FromString), fc.nat().map(word).map((each) => Hex32.make(each))),
  ...codecLaws("uint256", { ...ofText(Uint256FromString), spellings: "one" }, uint256)
]

const documents = [
  ...codecLaws("orders", ofJson(Order), order),
  ...codecLaws("evidence of transactions", ofJson(Observation), observation),
  ...codecLaws("evidence of withdrawals", ofJson(WithdrawalEvidence), fc.constantFrom(...withdrawals)),
  ...codecLaws("executions of peers", ofJson(PeerExecution), peerExecution)
]

/**
 * Refusing garbage is cheap, so it gets a million inputs. A round trip costs its encoding. There are always 36 long
 * texts.
 */
const runs = (name: string, roundTrips: number, long: number): number => {
  if (name.includes("garbage")) return inputs(20_000, 1_000_000)
  return name.includes("megabyte") ? inputs(36, 36) : inputs(roundTrips, long)
}

describe("codecs", () => {
  for (const { check, name } of laws) it(name, () => check(runs(name, 20_000, 200_000)))
  for (const { check, name } of documents) it(name, () => check(runs(name, 2_000, 40_000)))
})
