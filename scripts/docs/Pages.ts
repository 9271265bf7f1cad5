/** The generated pages of docs/, by file name. */
import { parametersByFamilyPage } from "./by-family/ParametersPage.ts"
import { suitesByFamilyPage } from "./by-family/SuitesPage.ts"
import { commandPage } from "./CommandPage.ts"
import { errorsPage } from "./ErrorsPage.ts"
import { observabilityPage } from "./ObservabilityPage.ts"
import { openApiPage } from "./OpenApiPage.ts"
import { variablesPage } from "./VariablesPage.ts"

export const pages: ReadonlyMap<string, () => string> = new Map([
  ["variables.md", variablesPage],
  ["errors.md", errorsPage],
  ["parameters-by-family.md", parametersByFamilyPage],
  ["scenarios/by-family.md", suitesByFamilyPage],
  ["command.md", commandPage],
  ["observability.md", observabilityPage],
  ["openapi.json", openApiPage]
])
