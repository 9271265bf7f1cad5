/** Decodes a method's parameters. Wrong ones are −32602, as at a node. */
import type { Address } from "@solana/kit"
import { address, isAddress, isSignature } from "@solana/kit"
import { Exit, Schema } from "effect"
import type { Chain, Commitment } from "../Chain.ts"
import { contextNotReached, invalidParams } from "./RpcError.ts"

export const Commitments = Schema.Literals(["processed", "confirmed", "finalized"])

/** For every read: the commitment, and the lowest useful slot. */
export const contextFields = {
  commitment: Schema.optionalKey(Commitments),
  minContextSlot: Schema.optionalKey(Schema.Int)
}
export const Context = Schema.Struct(contextFields)

/** An optional last parameter. */
export const optional = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** The newest version of transactions that a reader knows: a byte. */
export const VersionNumber = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 }))

export const AddressText = Schema.String.check(Schema.makeFilter((text) => isAddress(text) || "no address"))
export const SignatureText = Schema.String.check(Schema.makeFilter((text) => isSignature(text) || "no signature"))

export const decode = <A, I>(schema: Schema.Codec<A, I>, params: unknown): A => {
  const decoded = Schema.decodeUnknownExit(schema)(params)
  if (Exit.isSuccess(decoded)) return decoded.value
  throw invalidParams(String(decoded.cause).split("\n")[0] ?? "")
}

export const addressOf = (text: string): Address => address(text)

/** The commitment of a read, by default `finalized`. Throws when the node is not that far. */
export const contextOf = (
  chain: Chain,
  given: typeof Context.Type | null | undefined
): { readonly commitment: Commitment; readonly slot: number } => {
  const commitment = given?.commitment ?? "finalized"
  const slot = chain.slotAt(commitment)
  if (given?.minContextSlot !== undefined && given.minContextSlot > slot) throw contextNotReached(slot)
  return { commitment, slot }
}

/** An answer with its slot. */
export const inContext = (slot: number, value: unknown) => ({ context: { apiVersion: "3.0.0", slot }, value })
