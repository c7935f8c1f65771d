// The body of a device's kernel, run as one of a graph: kernels_ahead() says what those ahead of it do.
#pragma once

namespace finegrain::test
{

template <class Body> struct InGraph {
  Body body;
  void operator()(const typename Body::Member &member) const { body.template run<true>(member); }
};

} // namespace finegrain::test
