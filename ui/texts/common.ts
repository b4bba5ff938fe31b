/** Texts that more than one part of the interface shows. */
export const texts = {
  addModel: 'Add a model',
  cancel: 'Cancel',
  close: 'Close',
  delete: 'Delete',
  loadFailed: 'could not be loaded',
  never: 'never',
  save: 'Save',
  tryAgain: 'Try again',
} as const
