# The program in a container (docs/container.md): docker build -t harness . && docker run --rm -v "$PWD/out:/out" harness quickstart
FROM debian:12-slim AS build
WORKDIR /src
COPY ci/setup ci/setup
RUN ci/setup --program
COPY . .
RUN ci/install /opt/harness && ci/container-entry --install /opt/harness

# What runs: the installed program with its files, Python with h5py and matplotlib, Open MPI; no sources, no compiler.
FROM debian:12-slim
COPY ci/setup /opt/harness/share/harness/ci/setup
RUN /opt/harness/share/harness/ci/setup --run && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/harness /opt/harness
ENV PATH=/opt/harness/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /opt/harness/share/harness
RUN harness --version
VOLUME /out
ENTRYPOINT ["/opt/harness/share/harness/ci/container-entry"]
CMD ["--help"]
