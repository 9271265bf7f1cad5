/** deploy/env/*.env.example: every variable of a process with its meaning, for Docker's and systemd's files of variables. */
import { families } from "../../hosts/families.ts"
import { oracleVariables, oracleVariablesOf } from "../../hosts/oracle/config/Environment.ts"
import { variables, variablesOf } from "../../hosts/transfer/config/Environment.ts"

interface Listed {
  readonly name: string
  readonly meaning: string
  readonly fallback?: string
}

/** A line of both kinds of files is text up to its end: no quotes, no comment after a value. */
const entry = ({ fallback, meaning, name }: Listed, needed: boolean): string =>
  `# ${meaning}\n${needed ? "" : "#"}${name}=${fallback ?? ""}\n`

/** What workers alone may have, or what only they read. */
const ofWorkers: ReadonlySet<string> = new Set([
  variables.depositSeed.name,
  variables.operatorKey.name,
  variables.runnerHost.name,
  variables.runnerPort.name,
  variables.workerMetricsPort.name
])

/** Never set by an operator: for tests of crashes. */
const hidden: ReadonlySet<string> = new Set([variables.failpoint.name])

const file = (about: string, listed: ReadonlyArray<Listed>, needed: ReadonlyArray<string>): string =>
  [
    `# ${about} Written by npm run docs; docs/variables.md has the same table.`,
    "# Copy it to the name without .example, readable by its owner alone. What has no # before its name is needed.",
    "# The variables that the chains file names ($NAME in configs/chains.<ENVIRONMENT>.json) belong here, too.",
    "",
    ...listed.filter(({ name }) => !hidden.has(name)).map((each) => entry(each, needed.includes(each.name)))
  ].join("\n")

/** By file name. */
export const environmentFiles: ReadonlyMap<string, () => string> = new Map([
  ["transfer.env.example", () =>
    file(
      "What the API and the workers of the transfer service share.",
      variablesOf(families).filter(({ name }) => !ofWorkers.has(name)),
      [variables.environment.name, variables.solverKey.name, variables.secretsKeys.name, variables.adminToken.name]
    )],
  ["worker.env.example", () =>
    file(
      "What workers alone have, beside what they share with the API.",
      variablesOf(families).filter(({ name }) => ofWorkers.has(name)),
      []
    )],
  ["oracle.env.example", () =>
    file("The oracle.", oracleVariablesOf(families), [
      oracleVariables.environment.name,
      oracleVariables.key.name,
      oracleVariables.apiKeys.name
    ])]
])
