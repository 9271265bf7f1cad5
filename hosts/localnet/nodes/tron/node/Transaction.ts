/**
 * A signed transaction in the JSON of Tron's HTTP interface, of the three kinds that the chain executes. Accounts may
 * have any spelling and are stored as 41 and 40 digits. Hex is stored in lower case.
 */
import { Schema, SchemaGetter } from "effect"
import type { NodeAddress } from "./Account.ts"
import { parseAccount } from "./Account.ts"

const isNodeAddress = (value: unknown): value is NodeAddress =>
  typeof value === "string" && /^41[0-9a-f]{40}$/u.test(value)
const NodeAccount = Schema.declare(isNodeAddress)

const Account = Schema.String.check(Schema.makeFilter((text) => parseAccount(text) !== undefined)).pipe(
  Schema.decodeTo(NodeAccount, {
    decode: SchemaGetter.transform((text) => parseAccount(text) ?? "41"),
    encode: SchemaGetter.transform((account) => account)
  })
)

const Hex = Schema.String.check(Schema.isPattern(/^(?:[0-9a-f]{2})*$/iu)).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((text) => text.toLowerCase()),
    encode: SchemaGetter.transform((text) => text)
  })
)

const Amount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const contract = <const Type extends string, Value extends Schema.Top>(type: Type, value: Value) =>
  Schema.Struct({
    type: Schema.Literal(type),
    parameter: Schema.Struct({ value, type_url: Schema.Literal(`type.googleapis.com/protocol.${type}`) }),
    Permission_id: Schema.optionalKey(Schema.Literal(0))
  })

export const Contract = Schema.Union([
  contract("TransferContract", Schema.Struct({ owner_address: Account, to_address: Account, amount: Amount })),
  contract(
    "TriggerSmartContract",
    Schema.Struct({
      owner_address: Account,
      contract_address: Account,
      data: Schema.optionalKey(Hex),
      call_value: Schema.optionalKey(Amount)
    })
  ),
  contract(
    "CreateSmartContract",
    Schema.Struct({
      owner_address: Account,
      new_contract: Schema.Struct({
        origin_address: Account,
        bytecode: Hex,
        abi: Schema.optionalKey(Schema.Unknown),
        name: Schema.optionalKey(Schema.String),
        call_value: Schema.optionalKey(Amount),
        consume_user_resource_percent: Schema.optionalKey(Amount),
        origin_energy_limit: Schema.optionalKey(Amount)
      })
    })
  )
])
export type Contract = typeof Contract.Type

export const RawData = Schema.Struct({
  contract: Schema.Tuple([Contract]),
  ref_block_bytes: Hex,
  ref_block_hash: Hex,
  expiration: Amount,
  timestamp: Amount,
  fee_limit: Schema.optionalKey(Amount),
  /** The memo. */
  data: Schema.optionalKey(Hex)
})
export type RawData = typeof RawData.Type

/** As it is submitted: fields beside the raw data are not trusted. */
export const Unsigned = Schema.Struct({
  raw_data: RawData,
  raw_data_hex: Schema.optionalKey(Hex),
  txID: Schema.optionalKey(Hex),
  visible: Schema.optionalKey(Schema.Boolean)
})

export const Signed = Schema.Struct({ ...Unsigned.fields, signature: Schema.optionalKey(Schema.Array(Schema.String)) })

/** A transaction whose id and bytes were computed from its raw data. */
export const Transaction = Schema.Struct({
  txID: Schema.String,
  raw_data: RawData,
  raw_data_hex: Schema.String,
  signature: Schema.Array(Schema.String)
})
export type Transaction = typeof Transaction.Type

export const ownerOf = (
  { raw_data: { contract: [{ parameter: { value } }] } }: Pick<Transaction, "raw_data">
): NodeAddress => value.owner_address
