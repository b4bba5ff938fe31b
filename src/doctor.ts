export async function doctor() {}
