/**
 * Nonce mappings in SQL, one text for both engines. The row's primary key lets only one of two concurrent writers in.
 */
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32 } from "../../../src/domain/encoding/Hex.ts"
import type { KeptNonceMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { Millis, SqlInt, UintText } from "../engine/Columns.ts"
import { storeCall } from "../StoreCall.ts"

const Row = Schema.Struct({
  chain: ChainSlug,
  wallet: Address,
  nonce: UintText,
  order_id: Hex32,
  signature_chain_id: SqlInt,
  signature: Hex,
  created_at: Millis
})
const decodeRows = Schema.decodeUnknownEffect(Schema.Array(Row))

/** A wallet is its own depositor. */
const toKept = (
  { chain, created_at, nonce, order_id, signature, signature_chain_id, wallet }: typeof Row.Type
): KeptNonceMapping => ({
  chain,
  wallet,
  depositor: wallet,
  nonce,
  id: order_id,
  signatureChainId: signature_chain_id,
  signature,
  createdAt: created_at
})

export const layer = Layer.effect(
  NonceMappings,
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient

    const read = (chain: ChainSlug, wallet: Address, nonce: bigint) =>
      sql`SELECT chain, wallet, nonce, order_id, signature_chain_id, signature, created_at FROM nonce_mappings
          WHERE chain = ${chain} AND wallet = ${wallet} AND nonce = ${nonce.toString()}`.pipe(
        Effect.flatMap(decodeRows),
        Effect.map(([row]) => row === undefined ? undefined : toKept(row))
      )

    const keep: NonceMappings["Service"]["keep"] = (mapping) =>
      Effect.gen(function*() {
        const { chain, createdAt, id, nonce, signature, signatureChainId, wallet } = mapping
        const row = {
          chain,
          wallet,
          nonce: nonce.toString(),
          order_id: id,
          signature_chain_id: signatureChainId,
          signature,
          created_at: createdAt
        }
        yield* sql`INSERT INTO nonce_mappings ${sql.insert(row)} ON CONFLICT (chain, wallet, nonce) DO NOTHING`
        return (yield* read(chain, wallet, nonce)) ?? mapping
      }).pipe(storeCall("NonceMappings.keep"))

    const find: NonceMappings["Service"]["find"] = (chain, wallet, nonce) =>
      read(chain, wallet, nonce).pipe(storeCall("NonceMappings.find"))

    return NonceMappings.of({ keep, find })
  })
)
