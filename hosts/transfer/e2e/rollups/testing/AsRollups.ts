/** The local chains file of an operator whose EVM chains charge for data on L1. */
import { Schema } from "effect"
import type { L1DataFee } from "../../../../../src/domain/chain/ConfiguredChain.ts"

const Entries = Schema.fromJsonString(
  Schema.Array(
    Schema.StructWithRest(
      Schema.Struct({
        vmType: Schema.String,
        additionalData: Schema.optionalKey(Schema.Record(Schema.String, Schema.Json))
      }),
      [Schema.Record(Schema.String, Schema.Json)]
    )
  )
)
const decode = Schema.decodeUnknownSync(Entries)

export const asRollups = (l1DataFee: L1DataFee) => (chains: string): string =>
  JSON.stringify(
    decode(chains).map((entry) =>
      entry.vmType === "ethereum-vm" ? { ...entry, additionalData: { ...entry.additionalData, l1DataFee } } : entry
    )
  )
