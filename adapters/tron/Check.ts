/**
 * Reads from a Tron node the facts that its configuration is checked against: the EVM's calls, one in each request, for
 * accounts of 20 bytes.
 */
import { hexToBytes } from "@noble/hashes/utils.js"
import { Result } from "effect"
import { tronAddresses } from "../../src/domain/families/tron/TronAddresses.ts"
import type { FamilyCheck } from "../quorum/ReadingFacts.ts"
import { readEvm } from "../quorum/rpc/EvmFacts.ts"
import { makeAnsweringRpc } from "../quorum/rpc/JsonRpc.ts"
import type { AnsweringRpc } from "../quorum/rpc/JsonRpc.ts"
import { rpcUrlOf } from "./rpc/TronNode.ts"
import { hexDigits } from "../../src/domain/encoding/HexDigits.ts"

/** The configuration was parsed already. Text that is not an account becomes the zero account. */
const digitsOf = (account: string): string =>
  Result.match(tronAddresses.toBytes(account), {
    onSuccess: (bytes) => hexDigits(bytes.subarray(1)),
    onFailure: () => "0".repeat(40)
  })

const accountOf = (digits: string): string =>
  Result.match(tronAddresses.fromBytes(hexToBytes(`41${digits}`)), {
    onSuccess: String,
    onFailure: () => `0x${digits}`
  })

export const check: FamilyCheck<AnsweringRpc> = {
  open: (url) => makeAnsweringRpc(rpcUrlOf(url), { batches: false, parse: (text): unknown => JSON.parse(text) }),
  read: readEvm({ digitsOf, accountOf })
}
