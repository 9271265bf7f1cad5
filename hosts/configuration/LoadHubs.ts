/** `configs/chains.hub.<ENVIRONMENT>.json` (CONFIG-2): the hubs that executions are signed for, checked in one pass. */
import { Effect, Result, Schema, SchemaIssue } from "effect"
import type { Redacted } from "effect"
import type { GateForm } from "../../ports/hub/SettlingHub.ts"
import type { SettlementHub } from "../../ports/hub/SettlementHubs.ts"
import type { Address } from "../../src/domain/chain/Address.ts"
import { EthereumAddress } from "../../src/domain/chain/Address.ts"
import { ChainId, ChainSlug } from "../../src/domain/chain/ChainId.ts"
import { endpointsOf, finalityOf } from "./entries/ChainFromEntry.ts"
import { Count, Decimal, Finality, L1DataFee } from "./entries/ChainsFile.ts"
import { readConfig } from "./LoadChains.ts"
import { substitute } from "./Substitute.ts"
import { Problem } from "./Variables.ts"

const HubEntry = Schema.Struct({
  id: ChainSlug,
  /** One URL, several separated by commas, or a list of either. */
  httpRpcUrl: Schema.Union([Schema.NonEmptyString, Schema.Array(Schema.NonEmptyString)]),
  rpcQuorum: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))),
  chainId: ChainId,
  /** When a block of the hub is final, as in the chains file. Default `finalized`. */
  finality: Schema.optionalKey(Finality),
  additionalData: Schema.Struct({
    hubAddress: EthereumAddress,
    /** The contract that verifies executions. */
    oracleAddress: EthereumAddress,
    /** The version in the EIP-712 domain, as the contract was deployed. */
    oracleVersion: Schema.optionalKey(Schema.NonEmptyString),
    eip712Name: Schema.optionalKey(Schema.NonEmptyString),
    /** The block time of the hub's chain. Default 12 seconds. */
    blockTimeMs: Schema.optionalKey(Count),
    /** How the hub's chain charges for a transaction's data on L1, as in the chains file. */
    l1DataFee: Schema.optionalKey(L1DataFee),
    /**
     * The currency of its gas. Default ETH. `lowWater`: operators are warned when the settling account has fewer whole
     * units.
     */
    native: Schema.optionalKey(Schema.Struct({
      symbol: Schema.NonEmptyString,
      decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
      lowWater: Schema.optionalKey(Decimal)
    })),
    /** The account that issues withdrawals. Without it no withdrawal has an execution. */
    allocator: Schema.optionalKey(EthereumAddress),
    /**
     * The kind of gate for submissions: an OracleGate like ours, with a list of signatures, or one with a single oracle
     * by role.
     */
    gate: Schema.optionalKey(Schema.Literals(["oracle-gate", "oracle"])),
    /**
     * With `"gate": "oracle"`: the oracle, when it is a contract with several signers. Without it each oracle signs for
     * itself.
     */
    multisigAddress: Schema.optionalKey(EthereumAddress),
    /**
     * The transfer service submits nothing new to it, and follows earlier submissions. An oracle signs for it as for
     * any other hub.
     */
    retired: Schema.optionalKey(Schema.Boolean)
  })
})

const decode = Schema.decodeUnknownEffect(Schema.Array(HubEntry).check(Schema.isMinLength(1)), {
  onExcessProperty: "error",
  errors: "all"
})
// Only the place and the kind of a fault: a value may hold a key.
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

export interface ConfiguredHub extends SettlementHub {
  readonly urls: ReadonlyArray<Redacted.Redacted>
  /** How many endpoints must agree. Undefined when the file gives no number. */
  readonly rpcQuorum: number | undefined
  /** The contract in `domain`. */
  readonly gate: Address
  readonly form: GateForm
  readonly isRetired: boolean
  readonly blockTimeMs: number
  readonly l1DataFee?: typeof L1DataFee.Type
  readonly native: { readonly symbol: string; readonly decimals: number; readonly lowWater: string | undefined }
}

const hubOf = (entry: typeof HubEntry.Type): Result.Result<ConfiguredHub, Problem> =>
  Result.map(endpointsOf(entry), (urls) => ({
    slug: entry.id,
    id: entry.chainId,
    finality: finalityOf({ finality: entry.finality ?? { tag: "finalized" } }),
    contract: entry.additionalData.hubAddress,
    domain: {
      name: entry.additionalData.eip712Name ?? "RelayOracle",
      version: entry.additionalData.oracleVersion ?? "1",
      chainId: BigInt(entry.chainId),
      verifyingContract: entry.additionalData.oracleAddress
    },
    gate: entry.additionalData.oracleAddress,
    form: entry.additionalData.gate === "oracle"
      ? { _tag: "Oracle", multisig: entry.additionalData.multisigAddress }
      : { _tag: "OracleGate" },
    allocator: entry.additionalData.allocator,
    urls,
    rpcQuorum: entry.rpcQuorum,
    isRetired: entry.additionalData.retired ?? false,
    blockTimeMs: entry.additionalData.blockTimeMs ?? 12_000,
    ...(entry.additionalData.l1DataFee === undefined ? {} : { l1DataFee: entry.additionalData.l1DataFee }),
    native: { symbol: "ETH", decimals: 18, lowWater: undefined, ...entry.additionalData.native }
  }))

/** All hubs of an environment. Fails with one problem that names all faults. */
export const loadHubs = Effect.fn("configuration.hubs")(function*(environment: string) {
  const entries = yield* decode(yield* substitute(yield* readConfig("chains.hub", environment))).pipe(
    Effect.mapError(({ issue }) =>
      new Problem({
        message: `the hub configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`)
            .join("; ")
        }`
      })
    )
  )
  const hubs = entries.map(hubOf)
  const problems = hubs.flatMap((hub) => Result.isFailure(hub) ? [hub.failure.message] : [])
  if (new Set(entries.map(({ id }) => id)).size < entries.length) problems.push("two hubs have one id")
  const gates = entries.map(({ additionalData: { oracleAddress }, chainId }) => `${chainId} ${oracleAddress}`)
  if (new Set(gates).size < entries.length) problems.push("two hubs have one oracleAddress on one chain")
  for (const { additionalData: { gate, multisigAddress }, id } of entries) {
    if (multisigAddress !== undefined && gate !== "oracle") {
      problems.push(`hub ${id}: multisigAddress needs "gate": "oracle"; an oracle-gate takes the signatures themselves`)
    }
  }
  if (problems.length > 0) return yield* new Problem({ message: problems.join("\n  - ") })
  return yield* Effect.fromResult(Result.all(hubs))
})
