/** `configs/chains.hub.<ENVIRONMENT>.json` (spec/4 §7): the hubs that executions are signed for, checked in one go. */
import { Effect, Schema, SchemaIssue } from "effect"
import { EthereumAddress } from "../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { ExecutionDomain } from "../../src/domain/settlement/Execution.ts"
import { Count, Decimal, Finality } from "./ChainsFile.ts"
import { readConfig } from "./LoadChains.ts"
import { substitute } from "./Substitute.ts"
import { Problem } from "./Variables.ts"

const isHttpUrl = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text)

/** One URL, or several separated by commas. */
const HttpUrls = Schema.String.check(
  Schema.makeFilter((text) => text.split(",").every((each) => isHttpUrl(each.trim())) ? undefined : "expected http(s) URLs")
)

const HubEntry = Schema.Struct({
  id: ChainSlug,
  httpRpcUrl: HttpUrls,
  chainId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  /** When a block of the hub counts as final, as in the chains file. */
  finality: Schema.optionalKey(Finality),
  additionalData: Schema.Struct({
    hubAddress: EthereumAddress,
    /** The contract that verifies executions. */
    oracleAddress: EthereumAddress,
    /** Of the EIP-712 domain, as the contract was deployed. */
    oracleVersion: Schema.optionalKey(Schema.NonEmptyString),
    eip712Name: Schema.optionalKey(Schema.NonEmptyString),
    /** Of the hub's chain; 12 seconds unless named. */
    blockTimeMs: Schema.optionalKey(Count),
    /** What its gas is paid in; ETH unless named. `lowWater`: whole units below which operators are told, of the account that settles. */
    native: Schema.optionalKey(Schema.Struct({
      symbol: Schema.NonEmptyString,
      decimals: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 36 })),
      lowWater: Schema.optionalKey(Decimal)
    })),
    allocator: Schema.optionalKey(EthereumAddress),
    multisigAddress: Schema.optionalKey(EthereumAddress)
  })
})

const decode = Schema.decodeUnknownEffect(Schema.Array(HubEntry).check(Schema.isMinLength(1)), { onExcessProperty: "error", errors: "all" })
// Only where and what kind: a value may hold a key.
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

export type HubEntry = typeof HubEntry.Type

/** The file's entries with their variables filled in. Fails with one problem that names all that is wrong. */
export const readHubs = Effect.fnUntraced(function*(environment: string) {
  return yield* decode(yield* substitute(yield* readConfig("chains.hub", environment))).pipe(
    Effect.mapError(({ issue }) =>
      new Problem({
        message: `the hub configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`).join("; ")
        }`
      }))
  )
})

/** The EIP-712 domain that executions for a hub are signed under. */
export const domainOf = ({ additionalData, chainId }: HubEntry): ExecutionDomain => ({
  name: additionalData.eip712Name ?? "RelayOracle",
  version: additionalData.oracleVersion ?? "1",
  chainId: BigInt(chainId),
  verifyingContract: additionalData.oracleAddress
})

/** The domains of all hubs. */
export const loadHubs = Effect.fn("configuration.hubs")(function*(environment: string) {
  return (yield* readHubs(environment)).map(domainOf)
})
