/** What the process of a Solana chain is told of its network: its identity, and whom it funds. No key is in it. */
import { address } from "@solana/kit"
import { Schema, SchemaTransformation } from "effect"
import { AddressText } from "./node/rpc/Parameters.ts"

const Key = AddressText.pipe(Schema.decodeTo(
  Schema.declare((value): value is ReturnType<typeof address> => typeof value === "string"),
  SchemaTransformation.transform({ decode: (text) => address(text), encode: (key): string => key })
))

export const GenesisArgument = Schema.Struct({
  name: Schema.String,
  parties: Schema.Struct({ accounts: Schema.Array(Key), solver: Key, allocator: Key })
})
export type GenesisArgument = typeof GenesisArgument.Type
