// Remembers, for this tab, that somebody is on their first steps: from the pages that these lead to, there is a way on.

const NAME = "sluice-first-steps"

export const beginFirstSteps = (): void => sessionStorage.setItem(NAME, "on")
export const endFirstSteps = (): void => sessionStorage.removeItem(NAME)
export const isOnFirstSteps = (): boolean => sessionStorage.getItem(NAME) !== null
