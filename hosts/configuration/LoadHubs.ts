/** `configs/chains.hub.<ENVIRONMENT>.json` (spec/4 §7): the hubs that executions are signed for, checked in one go. */
import { Effect, Schema, SchemaIssue } from "effect"
import { EthereumAddress } from "../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../src/domain/chain/ChainId.ts"
import type { ExecutionDomain } from "../../src/domain/settlement/Execution.ts"
import { readConfig } from "./LoadChains.ts"
import { substitute } from "./Substitute.ts"
import { Problem } from "./Variables.ts"

const HttpUrl = Schema.String.check(Schema.makeFilter((text) => /^https?:\/\//.test(text) && URL.canParse(text) ? undefined : "expected an http(s) URL"))

const HubEntry = Schema.Struct({
  id: ChainSlug,
  httpRpcUrl: HttpUrl,
  chainId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  additionalData: Schema.Struct({
    hubAddress: EthereumAddress,
    /** The contract that verifies executions. */
    oracleAddress: EthereumAddress,
    /** Of the EIP-712 domain, as the contract was deployed. */
    oracleVersion: Schema.optionalKey(Schema.NonEmptyString),
    eip712Name: Schema.optionalKey(Schema.NonEmptyString),
    allocator: Schema.optionalKey(EthereumAddress),
    multisigAddress: Schema.optionalKey(EthereumAddress)
  })
})

const decode = Schema.decodeUnknownEffect(Schema.Array(HubEntry).check(Schema.isMinLength(1)), { onExcessProperty: "error", errors: "all" })
// Only where and what kind: a value may hold a key.
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1({ leafHook: ({ _tag }) => _tag })

/** The domains of all hubs. Fails with one problem that names all that is wrong. */
export const loadHubs = Effect.fn("configuration.hubs")(function*(environment: string) {
  const entries = yield* decode(yield* substitute(yield* readConfig("chains.hub", environment))).pipe(
    Effect.mapError(({ issue }) =>
      new Problem({
        message: `the hub configuration is not valid at ${
          formatIssue(issue).issues.map(({ message, path }) => `${(path ?? []).map(String).join(".")} (${message})`).join("; ")
        }`
      }))
  )
  return entries.map(({ additionalData, chainId }): ExecutionDomain => ({
    name: additionalData.eip712Name ?? "RelayOracle",
    version: additionalData.oracleVersion ?? "1",
    chainId: BigInt(chainId),
    verifyingContract: additionalData.oracleAddress
  }))
})
