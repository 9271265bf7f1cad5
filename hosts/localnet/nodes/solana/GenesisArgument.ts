/** The argument for a Solana chain's process: the network's identity, and the accounts to fund. It holds no key. */
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
