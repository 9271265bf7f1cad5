/** Every migration that was ever released, in order. Published ones never change; new ones are appended. */
import type { MigrationRecord } from "../engine/Migrations.ts"
import { migration as transfers } from "./0001_transfers.ts"
import { migration as api } from "./0002_api.ts"
import { migration as money } from "./0003_money.ts"
import { migration as unended } from "./0004_unended.ts"
import { migration as operations } from "./0005_operations.ts"

/** Every migration, in order. */
export const migrations: MigrationRecord = {
  "0001_transfers": transfers,
  "0002_api": api,
  "0003_money": money,
  "0004_unended": unended,
  "0005_operations": operations
}
