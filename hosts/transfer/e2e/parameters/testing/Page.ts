/** The results of the comparisons, as a page. */
import { Schema, SchemaAST } from "effect"
import { QuoteRequest } from "../../../../../src/domain/quote/request/QuoteRequest.ts"
import { summarise } from "./Observe.ts"
import type { Row } from "./Row.ts"

export interface Compared {
  readonly row: Row
  readonly differs: ReadonlyArray<string>
  /** The refusal, where one is expected. */
  readonly refusal?: string
}

const Fields = Schema.Record(Schema.String, Schema.Unknown)

/** The schema's description of a parameter. The OpenAPI document has the same text. */
const described = (name: string): string => {
  const field = Schema.decodeUnknownSync(Fields)(QuoteRequest.fields)[name]
  return Schema.isSchema(field) ? SchemaAST.resolveDescription(field.ast) ?? "" : ""
}

const code = (text: string): string => `\`${text}\``

const cell = (text: string): string => text.replaceAll("|", "\\|")

const link = (path: string): string => `[${path.slice(path.lastIndexOf("/") + 1)}](../${path})`

const lineOf = ({ differs, row: { parameter, test } }: Compared): string =>
  `| ${code(parameter)} | ${cell(described(parameter))} | ${summarise(differs).map(code).join(" ")} | ${link(test)} |`

const elsewhereOf = ({ refusal = "", row: { parameter, test } }: Compared): string =>
  `| ${code(parameter)} | ${cell(described(parameter))} | ${cell(refusal)} | ${link(test)} |`

/** Between EVM chains, for which the page is made. */
export const isRefusedHere = ({ shown: { _tag } }: Row): boolean => _tag === "Solana" || _tag === "Bitcoin"

export const page = (compared: ReadonlyArray<Compared>): string => {
  const [ofSolana, ofBitcoin, shown] = [
    compared.filter(({ row }) => row.shown._tag === "Solana"),
    compared.filter(({ row }) => row.shown._tag === "Bitcoin"),
    compared.filter(({ row }) => !isRefusedHere(row))
  ]
  return `# Parameters of POST /quote

For each parameter two requests were made to a real host on local chains that differ in it alone, and what differs in the answers is listed; where the answer does not show it, what differs in the history, or in what becomes of the request (\`status\`, \`failReason\`, what arrived). Members of a list are written \`[]\`, an amount counts as one member, ids, calldata that only carries them, and the gas of the user's own steps are left out. The last column is a suite that shows what follows. Unknown fields are ignored. Between EVM chains; [what each parameter is or ends as elsewhere](parameters-by-family.md).

Written by \`hosts/transfer/e2e/parameters/Parameters.local.test.ts\` (\`PARAMETERS=write npm test -- hosts/transfer/e2e/parameters\`); that test fails when a parameter is missing here, when it changes nothing, or when it changes anything else.

| parameter | effect | what changes | shown by |
|---|---|---|---|
${shown.map(lineOf).join("\n")}

## Of Solana origins

They act where the origin is Solana, and are refused by name elsewhere.

| parameter | effect | elsewhere | shown by |
|---|---|---|---|
${ofSolana.map(elsewhereOf).join("\n")}

## Of Bitcoin origins

| parameter | effect | elsewhere | shown by |
|---|---|---|---|
${ofBitcoin.map(elsewhereOf).join("\n")}
`
}
