/**
 * Ids of the protocol: sha256 over joined texts, in lower case (PROTO-1).
 *
 * SECURITY: the parts are joined by ":" and lower-cased, so only canonical values without ":" may be used: slugs,
 * canonical transaction ids, hashes, decimals.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import type { ChainSlug } from "../chain/ChainId.ts"
import { type Hex32, hex32FromDigest } from "../encoding/Hex.ts"
import type { TransactionId } from "../chain/TransactionId.ts"

/** `id(v1,…,vn)`. An absent value is joined as an empty text. */
export const id = (...values: ReadonlyArray<string | undefined>): Hex32 =>
  hex32FromDigest(sha256(utf8ToBytes(values.map((value) => value ?? "").join(":").toLowerCase())))

/** The id of a deposit: its chain, its transaction, and its index as counted by the family (PROTO-12). */
export const onchainId = (chain: ChainSlug, transaction: TransactionId, index: number): Hex32 =>
  id(chain, transaction, index.toString())
