// router.js -- the part of the address behind '#': #/workloads/w12/s3-main?before=w70

export const linkTo = (...parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function currentRoute() {
  const [path, search] = location.hash.replace(/^#\/?/, '').split('?');
  return {
    parts: path.split('/').filter(Boolean).map(decode),
    query: new URLSearchParams(search ?? ''),
  };
}
